// SPDX-License-Identifier: BSD-3-Clause
// How a running unit gives control up and how it gets it back.
#pragma once

#include "lazult/core/switch/ready.hpp"

namespace lazult::core {

// Whether the caller is a ULT that may suspend now: not a tasklet, not an outside thread, not a
// scheduler's loop.
bool can_suspend() noexcept;

// Suspends the running unit. `after(argument)` runs when its context is saved, on the next unit's
// stack; from there on the unit may be made ready by anybody, so `argument` may be gone when
// `after` has published it.
void suspend(entry_function after, void* argument);

// As suspend, for join alone: see flag_joins_many.
void suspend_in_join(entry_function after, void* argument);

// Suspends the running unit, blocked, and starts a fresh unit on a stack of its own in its place.
void suspend_into(work_unit* fresh);
// The same, but the running unit stays ready, as the next in line of its pool. If can_suspend() is
// false, it does nothing and returns false.
bool suspend_parent_into(work_unit* fresh);

// Lets others of the same scheduler run. Returns at once when there are none. On an outside thread:
// sched_yield.
void yield();

// Runs `target`, which must be ready, next. Falls back to yield() when it cannot be taken from its
// pool.
base::status yield_to(work_unit* target);

// Whether a yield of the caller would run `target` next: the target stands first in the queue at
// the end of which the yield puts the caller. Then yield_to_next() yields to the target, as
// cheaply as yield(). Call it only if is_yield_to_next() has returned true. The target may be any
// address but null. The answer is always false if assembly does not switch in tail position
// (ucontext), or a sanitizer is on.
bool is_yield_to_next(const worker& w, const work_unit* target) noexcept;
void yield_to_next(worker& w);

// The next three give control to a unit that the caller has taken out of its pool, ready or fresh:
// it runs next on this stream, before anything else does. cannot_suspend, and nothing done, where
// can_suspend() is false.
//
// The running unit stays ready.
base::status switch_to(work_unit* target);
// The running unit suspends until unpark(). If that came already, this is switch_to().
base::status park_to(work_unit* target);
// The running unit ends, by exit_unwind as in exit_running(). A joiner that runs it in place goes
// on first, and so does a creator that has called it at once.
[[noreturn]] void exit_to(work_unit* target);

}  // namespace lazult::core
