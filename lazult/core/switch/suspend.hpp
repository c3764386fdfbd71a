// SPDX-License-Identifier: BSD-3-Clause
// How a running unit gives control up and how it gets it back.
#pragma once

#include "lazult/core/switch/ready.hpp"

namespace lazult::core {

// Returns whether the caller is a ULT that may suspend now, and not a tasklet, an outside thread or
// a scheduler's loop.
bool can_suspend() noexcept;

// Suspends the running unit. after(argument) runs when its context is saved, on the next unit's
// stack, and makes the unit known to its wakers. From then on any thread may make the unit ready,
// so `argument` may be gone.
void suspend(entry_function after, void* argument);

// suspend() for joins alone: see flag_joins_many.
void suspend_in_join(entry_function after, void* argument);

// Suspends the running unit, blocked, and starts a fresh unit on a stack of its own in its place.
void suspend_into(work_unit* fresh);
// suspend_into() that leaves the running unit ready, as the next in line of its pool. Does nothing
// and returns false if can_suspend() is false.
bool suspend_parent_into(work_unit* fresh);

// Lets other units of the same scheduler run. Returns at once if there are none. On an outside
// thread, calls sched_yield().
void yield();

// Runs `target`, which is ready, next. Yields if it cannot be taken from its pool.
base::status yield_to(work_unit* target);
// Takes a ready unit out of its pool. The calling stream then runs it at once. Returns false if
// it is not there, or stays on another stream.
bool remove_kept(worker& w, work_unit* target) noexcept;
inline bool remove_to_run(worker& w, work_unit* target) noexcept {
    return target->home->keeps() ? remove_kept(w, target) : target->home->remove(target);
}

// Returns whether a yield of the caller would run `target` next: the target stands first in the
// queue at the end of which the yield puts the caller. Then yield_to_next() yields to the target,
// as cheaply as yield(); it must not be called otherwise. The target may be any address but null.
// The answer is always false if assembly does not switch in tail position (ucontext), or under a
// sanitizer.
bool is_yield_to_next(const worker& w, const work_unit* target) noexcept;
void yield_to_next(worker& w);

// The next three give control to a unit, ready or fresh, that the caller has taken out of its pool:
// the unit runs next on this stream, before any other. The first two do nothing and return
// cannot_suspend if can_suspend() is false.
//
// The running unit stays ready.
base::status switch_to(work_unit* target);
// The running unit suspends until unpark(). If an unpark came already, this is switch_to().
base::status park_to(work_unit* target);
// The running unit ends, by exit_unwind as in exit_running(). A joiner that runs the unit in place
// goes on before `target`, and so does a creator that has called the unit at once.
[[noreturn]] void exit_to(work_unit* target);

}  // namespace lazult::core
