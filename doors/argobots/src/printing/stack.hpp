// SPDX-License-Identifier: BSD-3-Clause
// Stacks of units that do not run, printed.
#pragma once

#include <cstdio>

#include "pools/pool.hpp"

namespace lazult::abt {

// The unit and its stack: the functions on it, if it is suspended, and its bytes when
// ABT_PRINT_RAW_STACK is set.
void print_stack(std::FILE* to, work_unit& u) noexcept;
// Those of all units in a pool. False: the user's pool does not say which they are.
bool print_stacks_in(std::FILE* to, sched::ready_pool& p) noexcept;

}  // namespace lazult::abt
