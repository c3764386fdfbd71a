// SPDX-License-Identifier: BSD-3-Clause
// Reads what the kernel tells of this process's OS threads, to find out whether any of them can
// ever run again.
// Source: proc(5), /proc/self/task/TID/syscall and status; futex(2).
#pragma once

#include <cstdint>
#include <vector>

namespace lazult::os {

// An OS thread sleeps for good if it waits at a futex without a deadline, and only this process can
// reach that futex: then only another thread of this process can wake it. A thread that waits in
// another call (a read, a poll, a sleep, a timed wait), or that runs, may go on by itself.
struct thread_look {
    int id = 0;
    bool sleeps_for_good = false;
    // How often the thread has left a processor. If two looks show the same number, it has not run
    // in between.
    std::uint64_t switches = 0;

    bool operator==(const thread_look&) const = default;
};

// Returns the other threads by ascending id; none if unknown. Throws std::bad_alloc.
std::vector<thread_look> look_at_other_threads();

// Whether this thread of the process waits in the kernel, for whatever. False if the system does
// not tell.
bool waits_in_kernel(int id) noexcept;

// Returns true if the program handles signals that other processes may send, because such a signal
// may wake a thread. Not counted are signals that an instruction raises, those of the C library,
// and the one of ask_thread(). Also true if the system does not tell.
bool may_be_woken_by_signals() noexcept;

// Copies memory of this process. Returns false, without a fault, if that memory is not mapped.
bool read_memory(const void* from, void* to, std::size_t bytes) noexcept;

}  // namespace lazult::os
