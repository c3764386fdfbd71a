// SPDX-License-Identifier: BSD-3-Clause
// What a process does before its first stream, of the runtime or of a door, and after its last.
#pragma once

namespace lazult::sched {

// Call enter_process() before a stream of any kind starts, and leave_process() after it has ended.
// From the first enter to the last leave, the settings are frozen, and stack overflows are
// explained. The runtime makes these calls for its own streams. Thread-safe.
void enter_process() noexcept;
void leave_process() noexcept;
// Returns whether the runtime, or a door with streams of its own, has entered.
bool process_has_streams() noexcept;
// Returns false in a forked child of the process that entered last.
bool is_process_that_entered() noexcept;

}  // namespace lazult::sched
