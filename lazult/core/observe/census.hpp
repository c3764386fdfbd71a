// SPDX-License-Identifier: BSD-3-Clause
// All units that exist at this moment, for reports that take no part in running them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lazult/core/unit/work_unit.hpp"

namespace lazult::core {

// Calls a function with every descriptor that is in use, wherever its unit is. Any OS thread may
// call this. While units run, the results are hints: some units may be missed, and the fields of a
// unit may change while they are read. Descriptors themselves stay readable for ever.
void for_each_unit(void (*visit)(work_unit&, void*), void* argument);

// How many descriptors are in use, and how many of them have a stack. While units run, both are
// hints.
struct unit_census {
    std::size_t units = 0;
    std::size_t with_stack = 0;
};
unit_census count_units();

// Tells the leak checker of AddressSanitizer what units that are suspended now hold: their stacks,
// from the frame where each of them stopped upwards, as it looks at stacks of OS threads. What lies
// below is left of calls that have returned, and free stacks hold nothing: neither shall hide a
// leak. For the end of a process, as nothing is ever taken back.
void note_suspended_stacks() noexcept;

// A number for messages, the same that the debugger script gives: its place among the descriptors;
// the address of one that is outside their range.
std::uint64_t number_of(const work_unit& u) noexcept;

}  // namespace lazult::core
