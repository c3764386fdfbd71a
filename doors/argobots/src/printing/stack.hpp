// SPDX-License-Identifier: BSD-3-Clause
// Prints stacks of units that do not run.
#pragma once

#include <cstdio>

#include "pools/pool.hpp"

namespace lazult::abt {

// Prints the unit and its stack. Of a suspended unit it prints the functions on the stack. With
// ABT_PRINT_RAW_STACK it also prints the stack's bytes.
void print_stack(std::FILE* to, work_unit& u) noexcept;
// Prints the stacks of all units in a pool. Returns false if the user's pool cannot list its units.
bool print_stacks_in(std::FILE* to, sched::ready_pool& p) noexcept;

}  // namespace lazult::abt
