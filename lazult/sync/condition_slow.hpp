// SPDX-License-Identifier: BSD-3-Clause
// The part of basic_condition that is not inlined. The model checker has its own atomics.
#pragma once

#include "lazult/sync/condition.hpp"
#include "lazult/sync/spinning.hpp"

namespace lazult::sync {

template <class Atomics>
LAZULT_NOINLINE auto basic_condition<Atomics>::hold_slow() noexcept -> record* {
    return last_of(await_spin_bit<Atomics>(word_, spin));
}

template <class Atomics>
void basic_condition<Atomics>::list(record& me, mutex_type* m) noexcept {
    record* last = hold();
    // Null if waiters have different locks, or claim words: those are not moved to a mutex's queue.
    mutex_ = last == nullptr || mutex_ == m ? m : nullptr;
    if (me.claim == nullptr) {
        me.claimed = claim_word<Atomics>::result::listed;
    }
    let_go(push_back(last, &me));
}

// Waits without a claim word. Returns with the mutex unlocked.
template <class Atomics>
LAZULT_ALWAYS_INLINE base::status basic_condition<Atomics>::sleep_unclaimed(record& me,
                                                                            mutex_type& m,
                                                                            core::cancelable how) {
    const core::guarded_wait guard(me.unit, how);
    if (guard.is_asked()) {
        m.unlock();  // as after a wait, because the caller locks the mutex again
        return base::status::canceled;
    }
    // The waiter cannot return before it has locked the mutex again, so the mutex lives until this
    // code has unlocked it.
    block(me, [this, &m](record& r) noexcept {
        list(r, &m);
        m.unlock();
        return true;
    });
    return guard.was_interrupted() ? take_back(me, guard) : base::status::ok;
}

// Called by an interrupted unit: takes its record back. Returns ok if it was signalled before.
template <class Atomics>
LAZULT_COLD base::status basic_condition<Atomics>::take_back(
    record& me, const core::guarded_wait& guard) noexcept {
    record* last = hold();
    const bool was_listed = me.claimed == claim_word<Atomics>::result::listed;
    let_go(was_listed ? unlink(last, &me) : last);
    if (!was_listed) {
        guard.await_waker();
    }
    return was_listed ? base::status::canceled : base::status::ok;
}

// Honours requests after a wait. A caller that is cancelled after a signal passes the signal on. It
// may be cancelled at the last moment, so only the exception shows whether it is.
template <class Atomics>
LAZULT_COLD void basic_condition<Atomics>::honour_requests(core::work_unit* self,
                                                           bool was_signalled) {
    try {
        cancellation_point(self);
    } catch (const core::exit_unwind&) {
        if (was_signalled) {
            signal();
        }
        throw;
    }
}

template <class Atomics>
base::status basic_condition<Atomics>::wait_as(core::work_unit* self, mutex_type& m,
                                               core::cancelable how) {
    record me(self, wait_kind::condition, this);
    const base::status outcome = sleep_unclaimed(me, m, how);
    m.relock(me);
    end_wait(self, outcome == base::status::ok && !me.for_all);
    return outcome;
}

template <class Atomics>
base::status basic_condition<Atomics>::sleep_claimed(claimed_wait<Atomics>& wait, record& me,
                                                     const wait_limit& limit) {
    const std::uint32_t winner = wait.sleep(limit);
    if (winner == me.index) {
        await_release(me);
        return base::status::ok;
    }
    record* last = hold();
    let_go(is_listed(me) ? unlink(last, &me) : last);
    return winner == claim_word<Atomics>::timed_out ? base::status::timed_out
                                                    : base::status::canceled;
}

// Called by the waker that took a record. Returns true if no interrupter can resume the unit any
// more: then the waker must wake the unit or move its record to the mutex's queue. Returns false if
// another thread resumes the unit: then the waker does neither.
template <class Atomics>
LAZULT_ALWAYS_INLINE bool stops_interruption(const waiter<Atomics>& r) noexcept {
    return r.unit == nullptr || r.unit->wait.resume();
}

// Returns whether signal() shall move a waiter to the mutex's queue instead of waking it. Not a
// unit of the signaller's own stream: it runs only after the signaller has suspended, and by then
// the signaller has as a rule unlocked the mutex.
template <class Atomics>
LAZULT_ALWAYS_INLINE bool basic_condition<Atomics>::better_adopted(
    const record& r, const mutex_type* m) const noexcept {
    if (alone<Atomics>()) {
        return false;
    }
    if constexpr (has_units<Atomics>) {
        if (r.unit != nullptr && (r.unit->home->is_private_to(core::this_worker_or_null()) ||
                                  sched::stream_count() < 2)) {
            return false;
        }
    }
    return m != nullptr && r.claim == nullptr && m->is_locked();
}

template <class Atomics>
LAZULT_NOINLINE void basic_condition<Atomics>::signal_slow() noexcept {
    record* last = hold();
    record* first = take_first(last);
    mutex_type* m = mutex_;
    let_go(last);
    if (first == nullptr) {
        return;
    }
    if (!better_adopted(*first, m)) {
        wake(first);
    } else if (stops_interruption(*first) && !m->adopt(*first)) {
        wake(first);
    }
}

template <class Atomics>
LAZULT_NOINLINE void basic_condition<Atomics>::broadcast_slow() noexcept {
    record* last = hold();
    mutex_type* m = mutex_;
    record_chain<Atomics> chain;
    while (record* r = take_first(last)) {
        chain.add(r);
    }
    let_go(nullptr);
    bool first = true;
    for (record* taken = chain.first(); taken != nullptr;) {
        record* r = taken;
        taken = r->next;
        r->for_all = true;
        const bool stays = first ? better_adopted(*r, m) : m != nullptr && r->claim == nullptr;
        first = false;
        if (!stays || (stops_interruption(*r) && !m->adopt(*r))) {
            wake(r);
        }
    }
}

}  // namespace lazult::sync
