// SPDX-License-Identifier: BSD-3-Clause
// The contended side of basic_mutex. mutex.cpp compiles it once for the atomics that ship, and the
// model checker compiles it for its own atomics.
#pragma once

#include "lazult/sync/mutex.hpp"
#include "lazult/sync/spinning.hpp"

namespace lazult::sync {

// Counts a waiter's losses, and says when the mutex must be handed over to the waiter.
template <class Atomics>
struct basic_mutex<Atomics>::patience {
    std::int64_t since = spinning<Atomics>::now();
    unsigned losses = 0;

    // Called after a wake-up, if another caller took the mutex before the woken one.
    void note_loss(record& me, bool owner_runs) noexcept {
        ++losses;
        me.in_front = true;
        me.starved =
            !owner_runs || losses >= most_losses || spinning<Atomics>::now() - since >= patience_ns;
    }
};

template <class Atomics>
LAZULT_NOINLINE void basic_mutex<Atomics>::lock_slow() {
    const caller self = this_caller<Atomics>();
    record me(self.unit, wait_kind::mutex, this);
    if (compete(me)) {
        return;
    }
    if (!self.may_wait) {
        refuse_to_wait("mutex", "use try_lock(), or lock it from a ULT");
    }
    patience limit;
    wait_turn(me, limit);
}

template <class Atomics>
LAZULT_NOINLINE void basic_mutex<Atomics>::relock_slow(record& me) {
    if (compete(me)) {
        return;
    }
    patience limit;
    limit.note_loss(me, owner_runs());
    me.starved = false;
    wait_turn(me, limit);
}

// Waits in the queue until the caller holds the mutex.
template <class Atomics>
void basic_mutex<Atomics>::wait_turn(record& me, patience& limit) {
    for (;;) {
        // relaxed: the record is not listed
        me.signal.store(0, std::memory_order_relaxed);
        block(me, [this](record& r) noexcept { return enlist(r); });
        if (me.granted) {
            note_owner();
            return;
        }
        if (compete(me)) {
            return;
        }
        limit.note_loss(me, owner_runs());
    }
}

template <class Atomics>
LAZULT_NOINLINE base::status basic_mutex<Atomics>::lock_until_slow(std::int64_t deadline_ns) {
    const caller self = this_caller<Atomics>();
    record me(self.unit, wait_kind::mutex, this);
    if (compete(me)) {
        return base::status::ok;
    }
    if (!self.may_wait) {
        return base::status::cannot_suspend;
    }
    patience limit;
    if (deadline_ns < 0) {
        wait_turn(me, limit);
        return base::status::ok;
    }
    for (;;) {
        // relaxed: the record is not listed
        me.signal.store(0, std::memory_order_relaxed);
        claimed_wait<Atomics> wait(self.unit);
        wait.covers(me);
        if (!enlist(me)) {
            return base::status::ok;
        }
        if (wait.sleep(deadline_ns) == claim_word<Atomics>::timed_out) {
            delist(me);
            return base::status::timed_out;
        }
        await_release(me);
        if (me.granted) {
            note_owner();
        }
        if (me.granted || compete(me)) {
            return base::status::ok;
        }
        if (spinning<Atomics>::has_passed(deadline_ns)) {
            return give_up(me) ? base::status::timed_out : base::status::ok;
        }
        limit.note_loss(me, owner_runs());
    }
}

// Called by a woken caller after its deadline. Takes the mutex if it is free, and returns false
// then, because no other caller is on its way to take it. Returns true if the mutex is locked. Runs
// under the spin bit, because the plain store of unlock_slow() would overwrite any other change.
template <class Atomics>
bool basic_mutex<Atomics>::give_up(const record& me) noexcept {
    const word mine = spin | (me.marked ? woken : 0);
    word w = hold_spin();
    for (;;) {
        const bool free = (w & locked) == 0;
        // acquire pairs with: unlock(), in case it is free now. release pairs with: hold_spin()
        if (swap_if<Atomics>(word_, w, (w & ~mine) | locked, std::memory_order_acq_rel,
                             std::memory_order_relaxed)) {
            return !free;
        }
    }
}

// Returns whether the owner runs, as far as is known. If it does not, it cannot unlock soon, and
// spinning is in vain.
template <class Atomics>
bool basic_mutex<Atomics>::owner_runs() const noexcept {
    if constexpr (has_units<Atomics>) {
        if (alone<Atomics>()) {
            return false;
        }
        // pairs with: note_owner()
        const core::work_unit* owner = owner_.load(std::memory_order_relaxed);
        return owner == nullptr || owner->state() == core::life_state::running;
    }
    return true;
}

// Takes the mutex, and returns true, if it is free or becomes free within a short spin.
template <class Atomics>
bool basic_mutex<Atomics>::compete(const record& me) noexcept {
    const word mine = me.marked ? woken : 0;
    spinning<Atomics> patient(me.unit);
    for (;;) {
        // relaxed: the CAS decides
        const word w = word_.load(std::memory_order_relaxed);
        if ((w & locked) == 0 && take_free(w, mine)) {
            return true;
        }
        // In starvation mode the next unlock hands the mutex over to the first waiter.
        if ((w & starving) != 0 || !owner_runs() || !patient.again()) {
            return false;
        }
    }
}

// Sets the spin bit, for which it may have to wait. Returns the word with the bit set.
template <class Atomics>
auto basic_mutex<Atomics>::hold_spin() noexcept -> word {
    brief_spin<Atomics> brief;
    for (;;) {
        word w = word_.load(std::memory_order_relaxed);  // relaxed: the CAS decides
        // acquire pairs with: enlist(), delist(), give_up(), unlock_slow(): the queue as the last
        // holder left it
        if ((w & spin) == 0 && swap_if<Atomics>(word_, w, w | spin, std::memory_order_acquire,
                                                std::memory_order_relaxed)) {
            return w | spin;
        }
        brief.pause();
    }
}

// Lists the record if the mutex is locked, and returns true then. If the mutex is free, returns
// false: with `take` the record's caller holds the mutex now, without `take` the mutex stays free.
// The caller holds the spin bit, and enlist_held() clears it.
template <class Atomics>
bool basic_mutex<Atomics>::enlist_held(word w, record& me, bool take) noexcept {
    const word mine = spin | (me.marked ? woken : 0);
    const word must_not_lose = me.starved ? starving : 0;
    me.marked = false;
    for (;;) {
        if ((w & locked) != 0) {
            record* before = last_of(w);
            record* after = me.in_front ? push_front(before, &me) : push_back(before, &me);
            // release pairs with: hold_spin(): the queue
            if (swap_if<Atomics>(word_, w, (with_last(w, after) & ~mine) | must_not_lose,
                                 std::memory_order_release, std::memory_order_relaxed)) {
                return true;
            }
            unlink(after, &me);
        } else {
            // acquire pairs with: unlock(): what the last holder did. release pairs with:
            // hold_spin()
            if (swap_if<Atomics>(word_, w, (w & ~mine) | (take ? locked : 0),
                                 std::memory_order_acq_rel, std::memory_order_relaxed)) {
                return false;
            }
        }
    }
}

// Returns true if it has listed the record, which may be gone already. Returns false if the mutex
// was free: then the record's caller holds it now.
template <class Atomics>
bool basic_mutex<Atomics>::enlist(record& me) noexcept {
    if (enlist_held(hold_spin(), me, true)) {
        return true;
    }
    me.granted = true;
    if constexpr (has_units<Atomics>) {
        owner_.store(me.unit, std::memory_order_relaxed);  // pairs with: owner_runs(): a hint
    }
    return false;
}

template <class Atomics>
bool basic_mutex<Atomics>::adopt(record& r) noexcept {
    r.kind = wait_kind::mutex;
    r.object = this;
    return is_locked() && enlist_held(hold_spin(), r, false);
}

// Called after a deadline: unlinks the caller's record, if it is still in the queue.
template <class Atomics>
void basic_mutex<Atomics>::delist(record& me) noexcept {
    word w = hold_spin();
    record* last = last_of(w);
    if (is_listed(me)) {
        last = unlink(last, &me);
    }
    // release pairs with: hold_spin(): the queue
    while (!swap_if<Atomics>(word_, w, with_last(w, last) & ~spin, std::memory_order_release,
                             std::memory_order_relaxed)) {
    }
}

template <class Atomics>
LAZULT_NOINLINE void basic_mutex<Atomics>::unlock_slow(bool must_be_locked) noexcept {
    brief_spin<Atomics> brief;
    word w = word_.load(std::memory_order_relaxed);  // relaxed: the CAS decides
    if ((w & locked) == 0) LAZULT_UNLIKELY {
        if (must_be_locked) {
            refuse_unlock("mutex", this, "it is unlocked, and nobody has locked it");
        }
        return;
    }
    for (;;) {
        const bool queued = last_of(w) != nullptr;
        if (!queued || ((w & woken) != 0 && !must_hand_over(w))) {
            const word next = (w & ~locked) + (queued ? passed : 0);
            // release pairs with: acquire(), take_free(), enlist_held()
            if (swap_if<Atomics>(word_, w, next, std::memory_order_release,
                                 std::memory_order_relaxed)) {
                return;
            }
        } else if ((w & spin) != 0) {
            brief.pause();
            w = word_.load(std::memory_order_relaxed);  // relaxed: the CAS decides
            // acquire pairs with: enlist_held(), delist(): the queue
        } else if (swap_if<Atomics>(word_, w, w | spin, std::memory_order_acquire,
                                    std::memory_order_relaxed)) {
            break;
        }
    }
    pass_on(w);
}

// Unlocks the mutex and wakes the first waiter, or hands the mutex over to it. The caller holds the
// mutex and the spin bit; `w` is the word without the spin bit.
template <class Atomics>
void basic_mutex<Atomics>::pass_on(word w) noexcept {
    record* last = last_of(w);
    record* first = take_first(last);
    word after = with_last(w, last) & (passed - 1) & ~(locked | starving);
    urgency how = urgency::none;
    if (first != nullptr && must_hand_over(w)) {
        // Every caller that comes before the new owner has run must wait, and be handed the mutex
        // in turn. So the new owner runs soon.
        how = urgency::soon;
        const record* next = first_of(last);
        after |= locked | (next != nullptr && next->starved ? starving : 0);
        first->granted = true;
        if constexpr (has_units<Atomics>) {
            // pairs with: owner_runs(): a hint
            owner_.store(first->unit, std::memory_order_relaxed);
        }
    } else if (first != nullptr && last != nullptr) {
        after |= woken;
        first->marked = true;
    }
    // release pairs with: acquire(), take_free(), enlist_held(), hold_spin()
    word_.store(after, std::memory_order_release);
    if (first != nullptr) {
        wake(first, how);
    }
}

}  // namespace lazult::sync
