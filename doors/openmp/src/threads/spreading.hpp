// SPDX-License-Identifier: BSD-3-Clause
// Spreads the OS threads of a team over the processors. Linux leaves two threads that yield to each
// other on one processor for milliseconds, though others are idle, while a barrier takes
// microseconds. The threads are moved, not bound, so the kernel may move them again. Threads with a
// place, and those in a crowd (crowd.hpp), are not moved.
#pragma once

#include "model/team.hpp"

namespace lazult::omp {

// Called by the parent before the fork.
void note_processor_of_fork(team& region) noexcept;
// Moves a helper that begins its part on the parent's processor.
void leave_parents_processor(thread& t) noexcept;
// Moves the calling thread, which has waited for microseconds, if a thread with a lower number last
// waited on the same processor.
void keep_apart(thread& t) noexcept;

}  // namespace lazult::omp
