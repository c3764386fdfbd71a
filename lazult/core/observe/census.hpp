// SPDX-License-Identifier: BSD-3-Clause
// Lists all units that exist at this moment, for reports.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lazult/core/unit/work_unit.hpp"

namespace lazult::core {

// Calls a function with every descriptor that is in use, wherever its unit is. Any OS thread may
// call this. While units run, the results are hints: some units may be missed, and the fields of a
// unit may change while they are read. Descriptors themselves stay readable for ever.
void for_each_unit(void (*visit)(work_unit&, void*), void* argument);

// The number of descriptors in use, and of those with a stack. While units run, both are hints.
struct unit_census {
    std::size_t units = 0;
    std::size_t with_stack = 0;
};
unit_census count_units();

// Tells the leak checker of AddressSanitizer what memory suspended units hold: their stacks, from
// the frame where each unit stopped upwards. What lies below that frame is left of calls that have
// returned, and free stacks hold nothing: neither shall hide a leak. For the end of a process,
// because the checker never forgets these ranges.
void note_suspended_stacks() noexcept;

// Returns a number for messages, which the debugger script gives, too: the unit's place among the
// descriptors, or its address if it is outside their range.
std::uint64_t number_of(const work_unit& u) noexcept;

}  // namespace lazult::core
