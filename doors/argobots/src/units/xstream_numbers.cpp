// SPDX-License-Identifier: BSD-3-Clause
#include "units/xstream_numbers.hpp"

namespace lazult::abt {

constinit ds::default_atomics::atomic<ABT_xstream> xstream_at[xstream_numbers];

}  // namespace lazult::abt
