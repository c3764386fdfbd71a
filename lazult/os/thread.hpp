// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lazult::os {

struct stack_bounds {
    std::byte* low;
    std::byte* high;
};

// Returns the stack of the calling OS thread, without its guard. Call this on that stack and not in
// a ULT. The main thread's stack can grow: it counts with the size that RLIMIT_STACK allows, and
// with 8 MiB if that is unlimited.
stack_bounds this_thread_stack() noexcept;

// Sets the name of the calling thread. Linux keeps 15 characters; the rest is cut off.
void set_thread_name(const char* name) noexcept;

// Returns the kernel's id of the calling thread. Not cached, because a ULT moves between threads.
std::uint64_t thread_id() noexcept;

void yield_thread() noexcept;
// Sleeps for some 50 microseconds. Leaves errno alone.
void nap_thread() noexcept;

// Returns the system's numbers of the processors on which this process may run, in ascending order.
// Returns {0} if the kernel does not tell.
std::vector<int> allowed_processors();
// Returns how many these are; the machine's online processors if memory is exhausted.
int count_allowed_processors() noexcept;
// Returns true if the system says, in files, which processors share cores, packages and caches.
bool describes_processors() noexcept;
bool bind_this_thread(int system_processor) noexcept;
bool bind_this_thread(const std::vector<int>& system_processors) noexcept;
// Returns the processor on which the calling thread runs; -1 if the kernel does not tell.
int current_processor() noexcept;
// Moves the calling thread `steps` processors on from `from`. It counts round the processors that
// the thread may use, and leaves out `from` itself. The thread is not bound afterwards: the kernel
// may move it again. Nothing happens if the thread may not use `from`, if there is no other
// processor, if `steps` is not positive, or if memory is exhausted.
void move_this_thread(int from, int steps) noexcept;

}  // namespace lazult::os
