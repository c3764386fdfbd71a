// SPDX-License-Identifier: BSD-3-Clause
// The one word that settles the race between a unit's end, its joiner and a detach.
//
//   from      to        by                         meaning
//   local     live      open (the owner's thread)  from now on other threads may wait
//   local     waiter    expect, claim, try_expect  a joiner on the same thread is registered
//                       (the owner's)
//   local     finished  finish_in_place            without a locked instruction
//   biased    waiter    claim (the joiner that     the unit's joiner runs it itself: a plain store
//                       took the unit out of its
//                       own lane)
//   biased    waiter    try_wait, try_expect       the same by compare and exchange, or the joiner
//                                                  waits
//   biased    revoked   revoke (any other thread)  the plain store is over, or will not come; then
//   revoked   live      revoke (any other thread)  every thread may wait
//   biased    live      open, open_biased          before the unit gets another home, or goes to a
//                       (the unit's holder)        pool that is not its creator's own lane;
//                                                  reset_bias while nobody else knows the unit
//   live      waiter    try_wait, try_expect       the joiner's record is registered
//                       (joiner)
//   waiter    live      withdraw (joiner)          a timed join gave up, or one that was to run the
//                                                  unit itself
//   live      detached  try_detach                 nobody will join; the end frees the unit (from
//                                                  biased, too)
//   live      finished  finish (the unit's stream) a later joiner finds it finished (from biased
//                       and revoked, too)
//   waiter    finished  finish                     the finisher must wake the waiter
//   detached  finished  finish                     the finisher must free the unit
//   finished  live      reset (revive)             by the one owner of the handle only
//   finished  detached  reset_detached             by the one owner of the handle only
//
// A unit of a private pool starts as local. While it is local, only the OS thread that owns the
// pool writes the word, so the unit's end takes no locked instruction. A joiner on another thread
// has the owner open the word first: see join.cpp.
//
// A unit that a thread launches into the lane of another pool of its own is biased towards that
// thread. While the unit has not started, the joiner that takes it out of that lane to run it in
// place may claim the word by a plain store. All other threads revoke this right first, which costs
// an asymmetric barrier. The claimer marks the unit as started in place before it reads the word.
// The revoker changes the word before it reads the mark. So at least one of them sees the other,
// and the revoker waits until the plain store is done.
//
// finish() is the finisher's last touch of the unit unless it found `detached`.
#pragma once

#include <atomic>
#include <cstdint>

#include "lazult/ds/ds.hpp"

namespace lazult::core {

template <class Atomics = ds::default_atomics>
class join_word {
public:
    using value = std::uintptr_t;
    // The order matters. claim() may store over the first two. Above `live`, somebody waits, or
    // nobody can wait any more.
    static constexpr value biased = 0;
    static constexpr value local = 1;
    static constexpr value revoked = 2;
    static constexpr value live = 3;
    static constexpr value finished = 4;
    static constexpr value detached = 5;

    constexpr join_word() noexcept : word_(live) {}

    bool is_finished() const noexcept {
        // pairs with: finish(), exchange of word_: the unit's results are visible to a thread that
        // sees it finished
        return word_.load(std::memory_order_acquire) == finished;
    }

    // Whether a waiter is registered already. A joiner that ran the unit in place now would make
    // that waiter wait for ever.
    bool has_waiter() const noexcept { return is_waiter(word_.load(std::memory_order_relaxed)); }
    // A hint, for reports: the waiter, if there is one.
    value peek() const noexcept { return word_.load(std::memory_order_relaxed); }
    // For the unit itself, which is about to write to the joiner that it finds.
    value joiner() const noexcept {
        // pairs with: replace_unwaited(), CAS of word_
        return word_.load(std::memory_order_acquire);
    }
    bool is_local() const noexcept { return word_.load(std::memory_order_relaxed) == local; }

    // Called on the owner's thread, or if the pool has no owner any more: then the unit's end is an
    // exchange. A biased word is opened by the thread that took the unit out of its lane, and that
    // runs it or is about to give it another home.
    void open() noexcept {
        value seen = word_.load(std::memory_order_relaxed);
        // relaxed: a thread that opens the word for another thread notifies that thread afterwards
        while (seen <= local &&
               !word_.compare_exchange_strong(seen, live, std::memory_order_relaxed,
                                              std::memory_order_relaxed)) {
        }
    }

    // As open(), but a local word stays local: the unit's owner opens it when another thread asks.
    void open_biased() noexcept {
        value expected = biased;
        // relaxed: as above
        word_.compare_exchange_strong(expected, live, std::memory_order_relaxed,
                                      std::memory_order_relaxed);
    }

    // Must not run while claim() may be about to store: call it on the thread that may call
    // claim(), or after revoke(). Returns false if the unit is finished (its results are then
    // visible), or if it is detached or waited for already; `*found` says which.
    bool try_wait(value waiter, value* found) noexcept { return replace_unwaited(waiter, found); }

    // Called by the owner, for a unit that is local and that it has not started. Nobody else waits.
    // The unit's end comes after its start: the hand-overs in between order the two.
    void expect(value waiter) noexcept { word_.store(waiter, std::memory_order_relaxed); }

    // Called by a joiner that took the unit out of its own lane and starts it itself. Precondition:
    // the joiner has marked the unit as started in place. Light barriers are free there: where they
    // are not, no thread has a lane for this (see offer_fast_way()). Returns false if the word is
    // neither biased nor local, or not any more: then try_expect() may succeed.
    LAZULT_ALWAYS_INLINE bool claim(value waiter) noexcept {
        Atomics::free_barrier();  // pairs with: revoke(), heavy_barrier
        // relaxed: a claimer acquires nothing
        if (word_.load(std::memory_order_relaxed) <= local) LAZULT_LIKELY {
            expect(waiter);
            return true;
        }
        return false;
    }
    // As claim(), but called by a joiner that took the unit out of any pool. Returns false if
    // somebody waits already, or if the unit is detached.
    bool try_expect(value waiter) noexcept {
        value found = word_.load(std::memory_order_relaxed);
        if (found == local) {
            expect(waiter);
            return true;
        }
        // relaxed: this thread starts the unit afterwards, and the unit's end comes after its
        // start. The hand-overs in between order the two, so the end finds the waiter.
        while (found <= live) {
            if (word_.compare_exchange_strong(found, waiter, std::memory_order_relaxed,
                                              std::memory_order_relaxed)) {
                return true;
            }
        }
        return false;
    }

    // Whether a thread that the unit is not biased towards must call revoke() before try_wait() or
    // try_detach().
    bool is_biased() const noexcept {
        const value seen = word_.load(std::memory_order_relaxed);
        return seen == biased || seen == revoked;
    }
    // On any thread. `is_claimed()` loads with acquire what was stored, at the latest with release,
    // before claim(): whether the unit is marked as started in place. Returns when no plain store
    // to the word can come any more.
    template <class IsClaimed>
    void revoke(IsClaimed&& is_claimed) noexcept {
        begin_revoking();
        // Needed also if the word was revoked already: the other revoker's barrier may not have
        // come yet.
        heavy_barrier();  // pairs with: claim(), free_barrier
        end_revoking(is_claimed);
    }
    // The same in steps, for many words with one barrier.
    void begin_revoking() noexcept {
        value expected = biased;
        // relaxed: no data behind it
        word_.compare_exchange_strong(expected, revoked, std::memory_order_relaxed,
                                      std::memory_order_relaxed);
    }
    // pairs with: claim(), free_barrier
    static void heavy_barrier() noexcept { Atomics::barrier_against_free(); }
    template <class IsClaimed>
    void end_revoking(IsClaimed&& is_claimed) noexcept {
        while (is_claimed() && word_.load(std::memory_order_relaxed) == revoked) {
            Atomics::pause();  // it is a few instructions from its store
        }
        value expected = revoked;
        word_.compare_exchange_strong(expected, live, std::memory_order_relaxed,
                                      std::memory_order_relaxed);
    }

    // False when the finisher has taken the waiter meanwhile, and is about to wake it.
    bool withdraw(value waiter) noexcept {
        value expected = waiter;
        // acquire pairs with: finish(), exchange of word_
        return word_.compare_exchange_strong(expected, live, std::memory_order_acq_rel,
                                             std::memory_order_acquire);
    }

    // Same precondition and results as try_wait().
    bool try_detach(value* found) noexcept { return replace_unwaited(detached, found); }

    // Returns the value from before: `detached`, a waiter, or a value for which is_unwaited() is
    // true. Once a ULT's address stands in the word, nobody else changes the word any more, because
    // only tagged records are withdrawn once the unit may run. So a store is enough then, and not
    // an exchange.
    value finish() noexcept {
        // acquire pairs with: replace_unwaited(), CAS of word_: the waiter's record
        const value before = word_.load(std::memory_order_acquire);
        if (is_unit(before)) {
            // release pairs with: is_finished(): the unit's results
            word_.store(finished, std::memory_order_release);
            return before;
        }
        // release pairs with: is_finished, replace_unwaited: the unit's results
        // acquire pairs with: replace_unwaited: the waiter's record
        return word_.exchange(finished, std::memory_order_acq_rel);
    }
    static constexpr bool is_unwaited(value word) noexcept { return word <= live; }

    // A waiter is the address of a ULT's descriptor, or a record's with this bit set. Only records
    // may withdraw.
    static constexpr value record_tag = 4;
    static constexpr bool is_waiter(value word) noexcept { return word > detached; }
    static constexpr bool is_unit(value word) noexcept {
        return is_waiter(word) && (word & record_tag) == 0;
    }

    // For a unit that only its joiner can see: it ran in place, or is local and ends on its owner's
    // thread.
    void finish_in_place() noexcept {
        // pairs with: is_finished()
        word_.store(finished, std::memory_order_release);
    }

    // The caller owns the handle alone and hands the unit over through a pool. `initial`: biased or
    // local if that pool's lane is the caller's own.
    void reset(value initial = live) noexcept { word_.store(initial, std::memory_order_relaxed); }
    // For a unit that nobody else knows yet, and that does not go into the caller's own lane after
    // all.
    void reset_bias() noexcept {
        if (word_.load(std::memory_order_relaxed) == biased) {
            reset();
        }
    }
    // For a unit that nobody else knows yet, and that nobody will ever join: it is born detached.
    void reset_detached() noexcept { word_.store(detached, std::memory_order_relaxed); }

private:
    bool replace_unwaited(value by, value* found) noexcept {
        // relaxed: a guess, so that the first attempt finds what is there
        *found = word_.load(std::memory_order_relaxed) == biased ? biased : live;
        do {
            // release pairs with: finish(), exchange of word_, which reads the waiter's record, or
            // after which the finisher frees the unit
            // acquire pairs with: finish(), exchange of word_, the unit's results
            if (word_.compare_exchange_strong(*found, by, std::memory_order_acq_rel,
                                              std::memory_order_acquire)) {
                return true;
            }
        } while (is_unwaited(*found) && *found != local);
        return false;
    }

    typename Atomics::template atomic<value> word_;
};

}  // namespace lazult::core
