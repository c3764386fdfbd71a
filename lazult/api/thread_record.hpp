// SPDX-License-Identifier: BSD-3-Clause
// What few threads need besides their descriptor: a stop state, a name, a stack of the user's, a
// migration callback.
#pragma once

#include "lazult/api/unit.hpp"

namespace lazult::api {

// The record of a thread, made if need be. By its owner or by itself. Throws error: out_of_memory.
thread_record& record_of(work_unit& u);
// nullptr when there is none.
thread_record* record_if_any(work_unit& u) noexcept;
void drop_record(work_unit& u) noexcept;
// By the creator of a unit that was not launched; frees it when it throws.
void equip(work_unit& u, const char* name, core::stack* own_stack);

// Called by the owner, after the unit's end. Destroys a closure that never ran, takes out what the
// unit threw, and frees the record.
std::exception_ptr clean_up(work_unit& u) noexcept;
// The same for a unit that is to run again. It drops what the unit threw, and the record stays.
void settle_for_revival(work_unit& u) noexcept;

}  // namespace lazult::api
