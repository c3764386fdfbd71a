// SPDX-License-Identifier: BSD-3-Clause
// The functions that the core calls for units of this door: one when a unit is freed, and one when
// a unit moves to another pool.
#pragma once

#include "units/thread_record.hpp"

namespace lazult::abt {

// Registers these functions with the core. ABT_init calls it.
void register_unit_hooks() noexcept;

}  // namespace lazult::abt
