// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sync/condition_slow.hpp"

namespace lazult::sync {

template class basic_condition<ds::default_atomics>;

}  // namespace lazult::sync
