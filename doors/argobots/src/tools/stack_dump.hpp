// SPDX-License-Identifier: BSD-3-Clause
// Stacks of units that do not run, printed.
#pragma once

#include <cstdio>

#include "door.hpp"

namespace lazult::abt {

// The unit and its stack: the functions on it, if it is suspended, and its bytes when
// ABT_PRINT_RAW_STACK is set.
void print_stack(std::FILE* to, work_unit& u) noexcept;

// Called by each stream between two units, when attention was called for. Returns at once if nobody
// asked for stacks; otherwise it stays until they are printed.
void attend_to_stack_dumps() noexcept;

}  // namespace lazult::abt
