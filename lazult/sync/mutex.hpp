// SPDX-License-Identifier: BSD-3-Clause
// Mutual exclusion in 16 bytes; all zeros is an unlocked mutex.
//
// Uncontended, lock and unlock are one locked instruction each, and none if the process has one OS
// thread. Unlock wakes one waiter and does not wait for it. A running caller may take the mutex
// before that waiter (it barges), because the waiter needs longer to arrive than a short critical
// section takes.
//
// No waiter starves. Unlock hands the mutex over to a waiter that was woken and lost `most_losses`
// times, or lost after `patience_ns`. It also does so after one loss to a holder that does not run:
// such a holder yields while it holds the mutex, so each further wake-up would be in vain. If a
// woken waiter does not run, because its stream is busy, neither it nor the waiters behind it can
// lose. So unlocks that wake nobody, although callers wait, are counted: after `most_passed` of
// them, unlock hands the mutex over to the first waiter.
//
// The starvation mode and the word resemble those of Go's sync.Mutex; the queue in the word is
// nsync's.
//
// The word: the address of the last waiter, 0 for none, four bits below it and a count above it.
//   locked    the mutex is held; stays set while the mutex is handed over
//   spin      the caller that set the bit is changing the queue
//   woken     a caller was woken while others stayed in the queue, and has not arrived yet: unlock
//             wakes no other caller
//   starving  the next unlock hands the mutex over to the first waiter
//   passed    the count of unlocks that woke nobody since a waiter was last woken or served
// Transitions (C is a caller; the rest of the word stays as it is):
//   locked 0 -> 1      acquire, try_lock   C holds it
//   locked 0 -> 1      compete, enlist     C holds it, and clears `woken` if that was C's
//   locked 1 -> 0      unlock              the queue is empty; or `woken` is set, `starving` is
//                                          not, and `passed` is below its limit: passed + 1
//   spin 0 -> 1        enlist (C waits), delist (C gave up), unlock_slow (C holds the mutex and
//                      wakes the first)
//   spin 1 -> 0        enlist: queue + C, and `starving` if C must not lose again; only while
//                              locked is set, so that the holder's unlock will see C. Else C takes
//                              the mutex instead.
//                      delist: queue - C
//                      unlock_slow, wake: queue - first, locked 0, and `woken` if others stay;
//                              passed = 0
//                      unlock_slow, hand over: queue - first, locked stays 1 and is the first's;
//                              passed = 0
//   woken 1 -> 0       acquire, enlist, give_up: by the caller that `woken` stands for
// If `starving` is set, the queue is not empty. If the queue is not empty, the mutex is locked, or
// a woken caller is on its way, or the holder of `spin` is about to wake one. While one caller
// holds both the mutex and `spin`, no other caller can change the word, so unlock_slow ends with a
// plain store.
//
// The last touch of the mutex by unlock is the CAS or the store that clears `locked` or hands it
// over, because the next owner may destroy the mutex at once.
//
// field   written by                     read by              order
// word_   anyone                         anyone               acquire to lock, and to set spin;
//                                                             release to unlock, and to clear spin
// owner_  the holder, after it acquired  lockers that spin    relaxed: a hint. It may name a unit
//                                                             that has ended: descriptors stay
//                                                             readable
#pragma once

#include "lazult/sync/claimed_wait.hpp"
#include "lazult/sync/mutex_view.hpp"

#include <cstdint>

namespace lazult::sync {

template <class Atomics = ds::default_atomics>
class basic_mutex {
public:
    using record = waiter<Atomics>;

    // Locks the mutex. Until it is free, a ULT suspends, and an OS thread sleeps. Misuse in a
    // tasklet, if the mutex does not become free within a short spin.
    LAZULT_ALWAYS_INLINE void lock() {
        if (!acquire()) LAZULT_UNLIKELY {
            lock_slow();
        }
    }

    LAZULT_ALWAYS_INLINE bool try_lock() noexcept {
        if (alone<Atomics>()) {
            const bool is_mine = acquire();
            if (is_mine) LAZULT_LIKELY {
                note_owner();
            }
            return is_mine;
        }
        word w = word_.load(std::memory_order_relaxed);  // relaxed: the CAS decides
        return (w & locked) == 0 && take_free(w, 0);
    }

    // Returns ok, timed_out, or cannot_suspend in a tasklet. A negative deadline never comes.
    base::status lock_until(std::int64_t deadline_ns) {
        return acquire() ? base::status::ok : lock_until_slow(deadline_ns);
    }

    // Unlocks the mutex. Any caller may do that; front ends that must check the owner use
    // recursive_mutex. Misuse if the mutex is not locked.
    LAZULT_ALWAYS_INLINE void unlock() noexcept {
        word held = locked;
        // release pairs with: acquire(), take_free(): what the holder did
        if (!swap_if<Atomics>(word_, held, word{0}, std::memory_order_release,
                              std::memory_order_relaxed)) LAZULT_UNLIKELY {
            unlock_slow(true);
        }
    }
    // Like unlock(), but does nothing if the mutex is not locked: users of other libraries' mutexes
    // may unlock such a mutex.
    LAZULT_ALWAYS_INLINE void unlock_if_locked() noexcept {
        word held = locked;
        // release pairs with: acquire(), take_free(): what the holder did
        if (!swap_if<Atomics>(word_, held, word{0}, std::memory_order_release,
                              std::memory_order_relaxed)) LAZULT_UNLIKELY {
            unlock_slow(false);
        }
    }

    // A hint: the mutex may have changed when the caller looks at the result.
    bool is_locked() const noexcept {
        return (word_.load(std::memory_order_relaxed) & locked) != 0;
    }

    // The next two functions are for condition variables. adopt() lists a record that a condition's
    // waker took, as if the record's caller had called lock(). Returns false, without effect, if
    // the mutex is free. The record has no claim word. Its caller ends the wait with relock().
    bool adopt(record& r) noexcept;
    // Locks the mutex for the caller of a record that a condition listed, after it has been woken.
    LAZULT_ALWAYS_INLINE void relock(record& me) {
        // The woken bit stands for a marked caller, which must clear it: relock_slow() does that.
        if (me.granted) {
            note_owner();
        } else if (me.marked || !acquire()) LAZULT_UNLIKELY {
            relock_slow(me);
        }
    }

    // The limits after which the mutex is handed over: losses and nanoseconds of a waiter, and
    // unlocks that wake nobody. The model checker has low limits, so that it reaches the handover.
    static constexpr unsigned most_losses = has_units<Atomics> ? 4 : 1;
    static constexpr std::int64_t patience_ns = 1'000'000;
    static constexpr unsigned most_passed = has_units<Atomics> ? 1024 : 1;

private:
    using word = std::uintptr_t;
    static constexpr word locked = mutex_view::locked;
    static constexpr word spin = 2;
    static constexpr word woken = 4;
    static constexpr word starving = 8;
    static constexpr word passed = word{1} << 48;  // above every address in user space
    static constexpr word flags = ~(passed - 1) | 31;
    static_assert(alignof(record) > 31 && most_passed < 1U << 15);

    struct patience;

    static record* last_of(word w) noexcept { return reinterpret_cast<record*>(w & ~flags); }
    static word with_last(word w, const record* last) noexcept {
        return last == nullptr ? w & (locked | spin | woken)
                               : (w & flags) | reinterpret_cast<word>(last);
    }
    static bool must_hand_over(word w) noexcept {
        return (w & starving) != 0 || w / passed >= most_passed;
    }

    LAZULT_ALWAYS_INLINE bool acquire() noexcept {
        if (alone<Atomics>()) {
            const word w = word_.load(std::memory_order_relaxed);
            word_.store(w | locked, std::memory_order_relaxed);
            return (w & locked) == 0;
        }
        // acquire pairs with: unlock(), unlock_slow()
        if ((word_.fetch_or(locked, std::memory_order_acquire) & locked) != 0) {
            return false;
        }
        note_owner();
        return true;
    }

    LAZULT_ALWAYS_INLINE void note_owner() noexcept {
        if constexpr (has_units<Atomics>) {
            const core::worker* w = core::this_worker_or_null();
            // pairs with: owner_runs(): a hint
            owner_.store(w == nullptr ? nullptr : w->current, std::memory_order_relaxed);
        }
    }

    // Takes the mutex if it is free, and clears the bits `clear` in the same step. Returns whether
    // it did.
    LAZULT_ALWAYS_INLINE bool take_free(word w, word clear) noexcept {
        while ((w & locked) == 0) {
            // acquire pairs with: unlock(), unlock_slow()
            if (swap_if<Atomics>(word_, w, (w | locked) & ~clear, std::memory_order_acquire,
                                 std::memory_order_relaxed)) {
                note_owner();
                return true;
            }
        }
        return false;
    }

    void lock_slow();
    void relock_slow(record& me);
    base::status lock_until_slow(std::int64_t deadline_ns);
    void unlock_slow(bool must_be_locked) noexcept;

    void wait_turn(record& me, patience& limit);
    bool compete(const record& me) noexcept;
    bool owner_runs() const noexcept;
    word hold_spin() noexcept;
    bool enlist_held(word w, record& me, bool take) noexcept;
    bool enlist(record& me) noexcept;
    void delist(record& me) noexcept;
    bool give_up(const record& me) noexcept;
    void pass_on(word w) noexcept;

    // The same layout as mutex_view.
    typename Atomics::template atomic<word> word_{0};
    typename Atomics::template atomic<const core::work_unit*> owner_{nullptr};
};

extern template class basic_mutex<ds::default_atomics>;
using mutex = basic_mutex<>;
static_assert(sizeof(mutex) == sizeof(mutex_view));

}  // namespace lazult::sync
