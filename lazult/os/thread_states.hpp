// SPDX-License-Identifier: BSD-3-Clause
// What the kernel says of this process's OS threads: for callers that want to know whether any of
// them can ever run again.
// Source: proc(5), /proc/self/task/TID/syscall and status; futex(2).
#pragma once

#include <cstdint>
#include <vector>

namespace lazult::os {

// An OS thread sleeps for good when it waits at a futex without a deadline, and only this process
// can reach that futex: then another thread of this process must wake it. One that waits in any
// other call (a read, a poll, a sleep, a timed wait), or that runs, may go on by itself.
struct thread_look {
    int id = 0;
    bool sleeps_for_good = false;
    std::uint64_t switches =
        0;  // how often it has left a processor: the same twice, and it has not run in between

    bool operator==(const thread_look&) const = default;
};

// All threads but the caller's, by ascending id. Empty: the system does not tell. Throws
// std::bad_alloc.
std::vector<thread_look> look_at_other_threads();

// Whether the program handles signals that come from outside, any of which may wake somebody: all
// but those that an instruction raises, the C library's own, and the one that ask_thread() uses.
// True where nobody can tell.
bool may_be_woken_by_signals() noexcept;

// Copies memory of this process that may not be there: false, and no fault, if it is not.
bool read_memory(const void* from, void* to, std::size_t bytes) noexcept;

}  // namespace lazult::os
