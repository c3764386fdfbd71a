// SPDX-License-Identifier: BSD-3-Clause
// Access to a thread_record, which few threads need besides their descriptor: it holds a stop
// state, a name, a user's stack, a migration callback.
#pragma once

#include "lazult/api/unit.hpp"

namespace lazult::api {

// Returns the thread's record, made on first use. Called by the thread's owner or by the thread
// itself. Throws error: out_of_memory.
thread_record& record_of(work_unit& u);
// Returns the thread's record, or nullptr if there is none.
thread_record* record_if_any(work_unit& u) noexcept;
void drop_record(work_unit& u) noexcept;
// Gives a unit that is not launched yet a name and a user's stack. Frees the unit if it throws.
void equip(work_unit& u, const char* name, core::stack* own_stack);

// Called by the owner, after the unit's end. Destroys a closure that never ran, frees the record,
// and returns the exception that left the unit, or null.
std::exception_ptr clean_up(work_unit& u) noexcept;
// Prepares a unit that has ended for another run. Drops its exception, and keeps the record.
void settle_for_revival(work_unit& u) noexcept;

}  // namespace lazult::api
