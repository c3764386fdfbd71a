// SPDX-License-Identifier: BSD-3-Clause
// What the core calls for units of this door: when one is freed, and when one moves to another
// pool.
#pragma once

#include "units/thread_record.hpp"

namespace lazult::abt {

// By ABT_init.
void register_unit_hooks() noexcept;

}  // namespace lazult::abt
