// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "door.hpp"

namespace lazult::abt {

ABT_thread_state state_of(const work_unit& u) noexcept;
const core::pool* home_of(const work_unit& u) noexcept;
// Nothing happens to the primary ULT and to main schedulers.
void set_migratable(work_unit& u, bool migratable) noexcept;
// nullptr: none, or not yet.
void* stack_base_of(const work_unit& u) noexcept;

}  // namespace lazult::abt
