// SPDX-License-Identifier: BSD-3-Clause
// Another door's ULTs that use OpenMP. Each is an initial thread of its own, wherever it goes: it
// has its own variables, and owns its own nested locks.
//
// When it enters a region it waits, and the team consists of new ULTs, thread 0 too: with the
// stacks that OpenMP's users expect, while other doors' are small. They run on the streams that
// serve the pool where it is at home. So the program has no more OS threads than before, and the
// ULT may be migrated or cancelled, for it is in no region: that waits until its team has ended.
#pragma once

#include "flows/flow.hpp"

namespace lazult::omp {

// The pool for the teams of the calling ULT; nullptr: it gets none, for it may not suspend, or its
// pool takes its own door's units only.
core::pool* pool_for_visits() noexcept;

// In a child process: the list of spare ones may have been another thread's.
void forget_spare_contexts() noexcept;

}  // namespace lazult::omp
