// SPDX-License-Identifier: BSD-3-Clause
// If the stream of a unit would have nothing else to do, the unit need not suspend at once. It
// spins where it is, as the idle stream would, but without having left. Then its waker only writes
// its record, and touches no pool. So two units of two streams that wait for each other in turn
// exchange a line or two, and not ten.
//
// For objects that wake their waiters for good. Not for conditions and barriers. The waiters of a
// condition go from its queue to the mutex's queue; waiters that spin cannot do so, and arrive
// while the mutex is held: measured at 0.7 times the speed. At a barrier of two units a stream it
// cost more than it saved.
#pragma once

#include "lazult/sync/claimed_wait.hpp"

namespace lazult::sync {

// Whether the caller's stream is idle but for the caller, and other streams run that may wake it
// soon. False for a unit that its waker takes over to the waker's own stream: while it spins
// elsewhere, the two would send each other every cache line that they share.
bool may_spin_in_place(const core::work_unit& self, urgency how = urgency::none) noexcept;
// Spins until the wait is claimed, and returns true then. False if there is something else to do
// here, or after a while.
bool spin_in_place(const claim_word<>& claim) noexcept;

// Does what a suspension would have done for a unit that did not come to suspend: honours the
// requests, and puts a cancellation off.
void make_up_for_suspension(core::work_unit& self);

// Waits where the unit is, and suspends if that takes too long. See waiter.hpp, block(). False: the
// wait was cancelled, and the caller must take the record back.
template <class Publish>
bool block_in_place(waiter<>& me, core::cancelable how, Publish& publish) {
    claimed_wait<> wait(me.unit);
    wait.covers(me);
    if (!publish(me)) {
        return true;
    }
    const bool stayed = spin_in_place(wait.claim());
    if (!stayed && wait.sleep({no_deadline, how}) == claim_word<>::withdrawn) {
        return false;
    }
    await_release(me);
    if (stayed) {
        make_up_for_suspension(*me.unit);
    }
    return true;
}

}  // namespace lazult::sync
