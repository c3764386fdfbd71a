// SPDX-License-Identifier: BSD-3-Clause
// A process, from its first stream to its last: streams of the runtime, and of doors.
#pragma once

namespace lazult::sched {

// What comes before the first stream of any kind, and after the last one: the settings are frozen
// in between, and faults on stacks are explained. Counted; start_runtime() and stop_runtime() do it
// for their own streams. Thread-safe.
void enter_process() noexcept;
void leave_process() noexcept;
// Whether anybody has entered: the runtime, or a door with streams of its own.
bool process_has_streams() noexcept;
// False in a child of the process that entered last.
bool is_process_that_entered() noexcept;

}  // namespace lazult::sched
