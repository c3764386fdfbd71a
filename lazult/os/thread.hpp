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

// Of the calling OS thread, guard excluded; call it on that thread's own stack and not in a ULT.
// The main thread's stack grows: it counts as far as RLIMIT_STACK allows, and 8 MiB when that is
// unlimited.
stack_bounds this_thread_stack() noexcept;

// Linux keeps 15 characters; the rest is cut off.
void set_thread_name(const char* name) noexcept;

// The kernel's thread id. Not cached: a ULT asks on whichever thread it is now.
std::uint64_t thread_id() noexcept;

void yield_thread() noexcept;
// Sleeps for some 50 microseconds. Leaves errno alone.
void nap_thread() noexcept;

// Returns the system's numbers of the processors on which this process may run, in ascending order.
// Returns {0} if the kernel does not tell.
std::vector<int> allowed_processors();
// Returns how many processors these are. If memory is exhausted, counts the online processors of
// the machine instead.
int count_allowed_processors() noexcept;
bool bind_this_thread(int system_processor) noexcept;
bool bind_this_thread(const std::vector<int>& system_processors) noexcept;
// Where the calling thread runs at this moment; -1 when the kernel does not say.
int current_processor() noexcept;
// Moves the calling thread `steps` processors on from `from`. It counts round the processors that
// the thread may use, and leaves out `from` itself. The thread is not bound afterwards: the kernel
// may move it again. Nothing happens if the thread may not use `from`, if there is no other
// processor, if `steps` is not positive, or if memory is exhausted.
void move_this_thread(int from, int steps) noexcept;

}  // namespace lazult::os
