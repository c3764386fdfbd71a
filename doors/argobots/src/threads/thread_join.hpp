// SPDX-License-Identifier: BSD-3-Clause
// What threads and tasklets share of their ends; `otherwise` is the code that refuses a handle:
// INV_THREAD or INV_TASK.
#pragma once

#include "door.hpp"

namespace lazult::abt {

// Whether the unit has ended. It waits out the last steps of an end that can be seen already.
bool has_ended(const work_unit& u) noexcept;

// SUCCESS, or otherwise: not a unit to be waited for by this caller.
int join_thread(ABT_thread handle, int otherwise);
int free_thread(ABT_thread handle, int otherwise);
// ABT_thread_free and ABT_task_free, but for their commonest case. `null` is what the handle
// becomes.
LAZULT_NOINLINE int free_slowly(ABT_thread* handle, ABT_thread null, int otherwise,
                                const char* function);
int cancel_thread(ABT_thread handle, int otherwise) noexcept;
int revive_thread(ABT_pool pool, core::entry_function entry, void* argument, ABT_thread handle,
                  int otherwise);

// Waits for the end of a unit that was checked.
void wait_for_end(work_unit& u);

}  // namespace lazult::abt
