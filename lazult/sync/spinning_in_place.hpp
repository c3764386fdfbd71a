// SPDX-License-Identifier: BSD-3-Clause
// If the stream of a unit has nothing else to run, the unit need not suspend at once. It spins in
// its own frame, as the idle stream would after a suspension. Then its waker only writes its
// record, and touches no pool. So two units of two streams that wait for each other in turn
// exchange one or two cache lines, and not ten.
//
// Conditions and barriers do not use this. A condition moves its waiters to the mutex's queue.
// Waiters that spin cannot be moved, and arrive while the mutex is held: that ran at 0.7 times the
// speed. At a barrier of two units for each stream, spinning cost more than it saved.
#pragma once

#include "lazult/sync/claimed_wait.hpp"

namespace lazult::sync {

// Returns whether the caller's stream has only the caller to run, and other streams run that may
// wake the caller soon. False for a unit that its waker takes over to the waker's own stream: if
// the unit spun on its own stream, the two would send each other every cache line that they share.
bool may_spin_in_place(const core::work_unit& self, urgency how = urgency::none) noexcept;
// Spins until the wait is claimed, and returns true then. Returns false if the stream has something
// else to do, or after a while.
bool spin_in_place(const claim_word<>& claim) noexcept;

// Does for a unit that spun instead of suspending what a suspension would have done: honours the
// requests, and puts a cancellation off.
void make_up_for_suspension(core::work_unit& self);

// Like block() (blocking.hpp), but the unit spins first, and suspends only if the wait takes too
// long. Returns false if the wait was cancelled, after a call of withdraw(me): a listed record has
// this function's claim word.
template <class Publish, class Withdraw>
bool block_in_place(waiter<>& me, core::cancelable how, Publish& publish, Withdraw withdraw) {
    claimed_wait<> wait(me.unit);
    wait.covers(me);
    if (!publish(me)) {
        return true;
    }
    const bool stayed = spin_in_place(wait.claim());
    if (!stayed && wait.sleep({no_deadline, how}) == claim_word<>::withdrawn) {
        withdraw(me);
        return false;
    }
    await_release(me);
    if (stayed) {
        make_up_for_suspension(*me.unit);
    }
    return true;
}

}  // namespace lazult::sync
