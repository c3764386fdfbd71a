// SPDX-License-Identifier: BSD-3-Clause
// A unit whose stream would have nothing else to do need not suspend at once: it spins where it is, as the idle stream would,
// but without having left. Whoever wakes it then writes its record, and no pool is touched: two units of two streams that wait
// for each other in turn exchange a line or two, and not ten.
//
// For objects that wake their waiters for good. Not for conditions and barriers: a condition's waiters go from its queue to
// the mutex's, which those that spin cannot, and so they come while the mutex is held; measured at 0.7 times the speed. At a
// barrier of two units a stream it cost more than it saved.
#pragma once

#include "lazult/sync/claimed_wait.hpp"

namespace lazult::sync {

// Whether the caller's stream is idle but for it, and others run that may wake it soon.
// A unit whose waker takes it over to its own stream does not: they would send each other every cache line that they share.
bool may_spin_in_place(const core::work_unit& self, urgency how = urgency::none) noexcept;
// Until the wait was claimed: then true. False when there is something else to do here, or after a while.
bool spin_in_place(const claim_word<>& claim) noexcept;

// What a suspension would have done for a unit that did not come to suspend: requests, of which a cancellation is put off.
void make_up_for_suspension(core::work_unit& self);

// Waits where the unit is, and suspends if that takes too long. See waiter.hpp, block(). False: the wait was cancelled, and
// the record is to be taken back.
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
