// SPDX-License-Identifier: BSD-3-Clause
// Units: how pools know work units. In a built-in pool that is the handle with its lowest bit set;
// in a user's pool it is what the user made of the handle, and then the address directory leads
// back. Unless it is the handle itself.
#pragma once

#include "pools/pool.hpp"

namespace lazult::abt {

// The unit by which its pool knows it.
ABT_unit unit_of(work_unit& u) noexcept;
// nullptr: not a unit of anybody's.
work_unit* thread_of(ABT_unit unit) noexcept;
// Prepares a new work unit for its home, which is set already. If that home is a user's pool, the
// work unit gets its unit. SUCCESS, MEM, or UNIT.
int enter_first_pool(work_unit& u) noexcept;
// From one home to another. The work unit is in no pool. SUCCESS, MEM, or UNIT, and then nothing
// has changed.
int associate(work_unit& u, sched::ready_pool& target) noexcept;
// Frees the user's unit, if it has one. When the work unit is freed.
void leave_last_pool(work_unit& u) noexcept;

// Gives the tables back that lead from users' units to threads. When no unit is left: by
// ABT_finalize.
void clear_units() noexcept;

}  // namespace lazult::abt
