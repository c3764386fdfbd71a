// SPDX-License-Identifier: BSD-3-Clause
// OS threads of a team each on a processor of their own. Linux leaves two that give way to each
// other on one processor for milliseconds, though others are idle: a barrier takes microseconds
// there. They are moved, and not bound: the kernel may move them on. Nothing is done for threads
// with a place, nor where there are more threads than processors.
#pragma once

#include "model/team.hpp"

namespace lazult::omp {

// By the parent, before the fork.
void note_processor_of_fork(team& region) noexcept;
// By a helper that begins its part.
void leave_parents_processor(thread& t) noexcept;
// By a thread that has waited for microseconds. Of two on one processor, the one with the higher
// number goes.
void keep_apart(thread& t) noexcept;

}  // namespace lazult::omp
