// SPDX-License-Identifier: BSD-3-Clause
#include "units/caller.hpp"

namespace lazult::abt {

constinit ds::default_atomics::atomic<bool> runtime_is_up{false};

}  // namespace lazult::abt
