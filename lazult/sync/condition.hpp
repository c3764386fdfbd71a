// SPDX-License-Identifier: BSD-3-Clause
// Condition variables. No wake-up is lost, because a waiter is listed before its mutex is unlocked.
// None is spurious: a wait ends by a signal that took its record, by its deadline, or by a
// cancellation. signal() wakes the caller that has waited longest.
//
// With sync::mutex, a signal moves the waiter to the mutex's queue instead of waking it, if the
// mutex is locked: a woken waiter would only go to sleep again. (A unit of the signaller's own
// stream is woken, because it cannot run before the signaller suspends.) broadcast() wakes one
// waiter and moves the others, so that they go on one by one. With any other lockable, wait() lists
// the record and unlocks the lockable. It then sleeps, unless the wait was claimed in between.
//
// The word: the address of the last waiter, and the spin bit.
//   queue changes, spin 0 -> 1 -> 0    wait, signal, broadcast, and a wait that gives up
//
// field   written by                   read by                  order
// word_   anyone                       anyone                   acquire to set spin, release to
//                                                               clear it; relaxed in
//                                                               is_waited_for(): a signaller that
//                                                               must see a waiter locked the mutex
//                                                               after that waiter
// mutex_  wait, under the spin bit     signal, under the same   the spin bit's
#pragma once

#include "lazult/sync/mutex.hpp"

#include <cstdint>

namespace lazult::sync {

template <class Atomics = ds::default_atomics>
class basic_condition {
public:
    using record = waiter<Atomics>;
    using mutex_type = basic_mutex<Atomics>;

    // Unlocks the mutex, waits, and locks it again. Misuse in a tasklet. A cancelled ULT unwinds
    // with the mutex locked; if a signal ended its wait, it passes the signal on to another waiter.
    void wait(mutex_type& m) {
        const caller self = this_caller<Atomics>();
        if (!self.may_wait) LAZULT_UNLIKELY {
            refuse_to_wait("condition variable", "wait for it in a ULT");
        }
        wait_as(self.unit, m, core::cancelable::no);
    }
    // Like wait(), for a caller that knows its own unit, and that this unit may suspend.
    void wait_as_unit(core::work_unit& self, mutex_type& m) {
        wait_as(&self, m, core::cancelable::no);
    }

    // Returns ok, timed_out or canceled, with the lock held again. Returns cannot_suspend in a
    // tasklet, with the lock held all the time. Lockable: sync::mutex, or anything with lock() and
    // unlock().
    template <class Lockable>
    base::status wait_until(Lockable& m, const wait_limit& limit) {
        const caller self = this_caller<Atomics>();
        if (!self.may_wait) {
            return base::status::cannot_suspend;
        }
        return wait_claimed(self.unit, m, limit);
    }
    LAZULT_ALWAYS_INLINE base::status wait_until(mutex_type& m, const wait_limit& limit) {
        const caller self = this_caller<Atomics>();
        if (!self.may_wait) LAZULT_UNLIKELY {
            return base::status::cannot_suspend;
        }
        if (!limit.has_sources()) LAZULT_LIKELY {
            return wait_as(self.unit, m, limit.how);
        }
        return wait_claimed(self.unit, m, limit);
    }

    // wait() for any lockable.
    template <class Lockable>
    void wait(Lockable& m) {
        if (wait_until(m, no_deadline) == base::status::cannot_suspend) {
            refuse_to_wait("condition variable", "wait for it in a ULT");
        }
    }

    LAZULT_ALWAYS_INLINE void signal() noexcept {
        if (is_waited_for()) {
            signal_slow();
        }
    }
    LAZULT_ALWAYS_INLINE void broadcast() noexcept {
        if (is_waited_for()) {
            broadcast_slow();
        }
    }

    // Returns true if callers wait. May also return true while a caller changes the queue.
    bool is_waited_for() const noexcept {
        return word_.load(std::memory_order_relaxed) != 0;  // relaxed: see the table
    }

private:
    using word = std::uintptr_t;
    static constexpr word spin = 1;

    static record* last_of(word w) noexcept { return reinterpret_cast<record*>(w & ~spin); }

    LAZULT_ALWAYS_INLINE record* hold() noexcept {
        word w = word_.load(std::memory_order_relaxed);  // relaxed: the CAS decides
        // acquire pairs with: let_go(): the queue
        if ((w & spin) == 0 && swap_if<Atomics>(word_, w, w | spin, std::memory_order_acquire,
                                                std::memory_order_relaxed)) LAZULT_LIKELY {
            return last_of(w);
        }
        return hold_slow();
    }
    LAZULT_ALWAYS_INLINE void let_go(record* last) noexcept {
        word_.store(reinterpret_cast<word>(last), std::memory_order_release);  // pairs with: hold()
    }

    record* hold_slow() noexcept;
    base::status wait_as(core::work_unit* self, mutex_type& m, core::cancelable how);
    LAZULT_ALWAYS_INLINE base::status sleep_unclaimed(record& me, mutex_type& m,
                                                      core::cancelable how);
    base::status take_back(record& me, const core::guarded_wait& guard) noexcept;
    void list(record& me, mutex_type* m) noexcept;
    base::status sleep_claimed(claimed_wait<Atomics>& wait, record& me, const wait_limit& limit);
    void signal_slow() noexcept;
    void broadcast_slow() noexcept;
    bool better_adopted(const record& r, const mutex_type* m) const noexcept;
    void honour_requests(core::work_unit* self, bool was_signalled);
    // A cancellation point at the end of a wait, with the mutex locked.
    LAZULT_ALWAYS_INLINE void end_wait(core::work_unit* self, bool was_signalled) {
        if constexpr (has_units<Atomics>) {
            if (self != nullptr && core::has_requests(*self)) LAZULT_UNLIKELY {
                honour_requests(self, was_signalled);
            }
        }
    }

    // Waits for a signal, the deadline, a stop request or a cancellation, in a wait that each of
    // these ends by claiming it: the first claim decides the outcome. Locks `m` again.
    template <class Lockable>
    LAZULT_NOINLINE base::status wait_claimed(core::work_unit* self, Lockable& m,
                                              const wait_limit& limit) {
        claimed_wait<Atomics> wait(self);
        record me(self, wait_kind::condition, this);
        wait.covers(me);
        list(me, nullptr);
        m.unlock();
        const base::status outcome = sleep_claimed(wait, me, limit);
        m.lock();
        end_wait(self, outcome == base::status::ok && !me.for_all);
        return outcome;
    }

    typename Atomics::template atomic<word> word_{0};
    mutex_type* mutex_ = nullptr;
};

extern template class basic_condition<ds::default_atomics>;
using condition = basic_condition<>;
static_assert(sizeof(condition) == 16);

}  // namespace lazult::sync
