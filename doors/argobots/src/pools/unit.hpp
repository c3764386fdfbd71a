// SPDX-License-Identifier: BSD-3-Clause
// ABT_unit, the name of a work unit in its pool. In a built-in pool it is the work unit's handle
// with its lowest bit set. In a user's pool it is what the user's function made. If that is not the
// handle itself, the unit directory maps it to the work unit.
#pragma once

#include "pools/pool.hpp"

namespace lazult::abt {

// Returns the ABT_unit by which the pool knows the work unit.
ABT_unit unit_of(work_unit& u) noexcept;
// Returns the work unit, or nullptr if `unit` is not the unit of any pool.
work_unit* thread_of(ABT_unit unit) noexcept;
// Prepares a new work unit for its home, which is set already. In a user's pool the work unit gets
// its ABT_unit. Returns SUCCESS, MEM or UNIT.
int enter_first_pool(work_unit& u) noexcept;
// Makes `target` the work unit's home. The work unit is in no pool. Returns SUCCESS, MEM or UNIT;
// in case of an error nothing has changed.
int associate(work_unit& u, sched::ready_pool& target) noexcept;
// Frees the ABT_unit that a user's pool made, if there is one. Called when the work unit is freed.
void leave_last_pool(work_unit& u) noexcept;

// Empties the directory's tables and keeps them as spares. Called by ABT_finalize, when no unit is
// left.
void clear_units() noexcept;

}  // namespace lazult::abt
