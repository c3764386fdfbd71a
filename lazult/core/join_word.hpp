// SPDX-License-Identifier: BSD-3-Clause
// The one word that settles the race between a unit's end, its joiner and a detach.
//
//   from      to        by                         meaning
//   local     live      open (the owner's thread)  from now on other threads may wait
//   local     waiter    expect, claim, try_expect  a joiner on the same thread is registered
//                       (the owner's)
//   local     finished  finish_in_place            without a locked instruction
//   biased    waiter    claim (who took the unit   the unit's joiner runs it itself: a plain store
//                       out of its own lane)
//   biased    waiter    try_wait, try_expect       likewise by compare and exchange, or the joiner waits
//   biased    revoked   revoke (any other thread)  the plain store is over, or will not come; then
//   revoked   live      revoke (any other thread)  every thread may wait
//   biased    live      open, open_biased          before the unit gets another home, or goes to a pool that is not its
//                       (who has the unit)         creator's own lane; reset_bias while nobody else knows it
//   live      waiter    try_wait, try_expect       the joiner's record is registered
//                       (joiner)
//   waiter    live      withdraw (joiner)          a timed join gave up, or one that was to run the unit itself
//   live      detached  try_detach                 nobody will join; the end frees the unit (from biased, too)
//   live      finished  finish (the unit's stream) a later joiner finds it finished (from biased and revoked, too)
//   waiter    finished  finish                     the finisher must wake the waiter
//   detached  finished  finish                     the finisher must free the unit
//   finished  live      reset (revive)             by the one owner of the handle only
//   finished  detached  reset_detached             likewise
//
// A unit of a private pool starts out local: while it is, only the OS thread that owns the pool writes the word, and so
// its end takes no locked instruction. A joiner elsewhere has that thread open the word first: see join.cpp.
//
// A unit that a thread launches into the lane of another pool of its own is biased towards that thread: while the unit has not
// started, whoever takes it out of the lane to run it in place may claim the word by a plain store. All others revoke that
// first, which costs an asymmetric barrier. Who claims marks the unit as started in place before it looks at the word, and who
// revokes changes the word before it looks at the mark: so one of them sees the other, and who revokes waits until the store is done.
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
    // In this order: claim() may store over the first two, and behind `live` somebody waits, or nobody can any more.
    static constexpr value biased = 0;
    static constexpr value local = 1;
    static constexpr value revoked = 2;
    static constexpr value live = 3;
    static constexpr value finished = 4;
    static constexpr value detached = 5;

    constexpr join_word() noexcept : word_(live) {}

    bool is_finished() const noexcept {
        // pairs with: finish(), exchange of word_: the unit's results are visible to who sees it finished
        return word_.load(std::memory_order_acquire) == finished;
    }

    // Somebody waits already: whoever runs it in place now would make him wait for ever.
    bool has_waiter() const noexcept { return is_waiter(word_.load(std::memory_order_relaxed)); }
    // A hint, for reports: who waits, if anybody does.
    value peek() const noexcept { return word_.load(std::memory_order_relaxed); }
    // For the unit itself, which is about to write to the joiner that it finds.
    value joiner() const noexcept {
        return word_.load(std::memory_order_acquire);  // pairs with: replace_unwaited(), CAS of word_
    }
    bool is_local() const noexcept { return word_.load(std::memory_order_relaxed) == local; }

    // On the owner's thread. Also where the pool has no owner any more, and the end is an exchange. Of a biased word by who
    // took the unit out of its lane, and runs it or is about to give it another home.
    void open() noexcept {
        value seen = word_.load(std::memory_order_relaxed);
        // relaxed: whoever opens for another thread tells it afterwards
        while (seen <= local && !word_.compare_exchange_strong(seen, live, std::memory_order_relaxed,
                                                               std::memory_order_relaxed)) {
        }
    }

    // Likewise, but a local word stays so: its unit's owner opens it when somebody asks.
    void open_biased() noexcept {
        value expected = biased;
        // relaxed: as above
        word_.compare_exchange_strong(expected, live, std::memory_order_relaxed, std::memory_order_relaxed);
    }

    // Not where claim() may be about to store: on the thread that may call it, or after revoke().
    // False when the unit is finished (its results are then visible), or is detached or waited for already;
    // `*found` tells which.
    bool try_wait(value waiter, value* found) noexcept { return replace_unwaited(waiter, found); }

    // By the owner, of a unit that is local, and which it has not started: nobody else waits, and the end comes after the start,
    // ordered by the hand-overs in between.
    void expect(value waiter) noexcept { word_.store(waiter, std::memory_order_relaxed); }

    // By a joiner that took the unit out of its own lane and starts it itself, where light barriers are free: no thread has a
    // lane for this otherwise (see offer_fast_way()). It has marked the unit so before. False: it is not
    // biased, or not any more: then try_expect() may do.
    LAZULT_ALWAYS_INLINE bool claim(value waiter) noexcept {
        Atomics::free_barrier();  // pairs with: revoke(), heavy_barrier
        // relaxed: who claims acquires nothing
        if (word_.load(std::memory_order_relaxed) <= local) LAZULT_LIKELY {
            expect(waiter);
            return true;
        }
        return false;
    }
    // Likewise, by a joiner that took it out of any pool. False: somebody waits already, or the unit is detached.
    bool try_expect(value waiter) noexcept {
        value found = word_.load(std::memory_order_relaxed);
        if (found == local) {
            expect(waiter);
            return true;
        }
        // relaxed: the unit's end comes after its start, which is this thread's, by the hand-overs in between
        while (found <= live) {
            if (word_.compare_exchange_strong(found, waiter, std::memory_order_relaxed,
                                              std::memory_order_relaxed)) {
                return true;
            }
        }
        return false;
    }

    // Whether revoke() must come before try_wait() and try_detach(), on a thread that is not the one it is biased towards.
    bool is_biased() const noexcept {
        const value seen = word_.load(std::memory_order_relaxed);
        return seen == biased || seen == revoked;
    }
    // On any thread. `is_claimed()` loads with acquire what was stored, at the latest with release, before claim(): whether the
    // unit is marked as started in place. Returns when no plain store to the word can come any more.
    template <class IsClaimed>
    void revoke(IsClaimed&& is_claimed) noexcept {
        begin_revoking();
        // Also who finds it revoked: that other one's barrier may not have come yet.
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
        word_.compare_exchange_strong(expected, live, std::memory_order_relaxed, std::memory_order_relaxed);
    }

    // False when the finisher has taken the waiter meanwhile, and is about to wake it.
    bool withdraw(value waiter) noexcept {
        value expected = waiter;
        // acquire pairs with: finish(), exchange of word_
        return word_.compare_exchange_strong(expected, live, std::memory_order_acq_rel,
                                             std::memory_order_acquire);
    }

    // Where try_wait() may be called, and likewise.
    bool try_detach(value* found) noexcept { return replace_unwaited(detached, found); }

    // Returns what stood there, detached or a waiter; else is_unwaited() says yes to it. Once a ULT's address stands there nobody else changes
    // the word any more (only tagged records are withdrawn once the unit may run), so a store does for the exchange.
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

    // A waiter is the address of a ULT's descriptor, or a record's with this bit set. Only records may withdraw.
    static constexpr value record_tag = 4;
    static constexpr bool is_waiter(value word) noexcept { return word > detached; }
    static constexpr bool is_unit(value word) noexcept { return is_waiter(word) && (word & record_tag) == 0; }

    // For a unit that only its joiner can see: it ran in place, or is local and ends on its owner's thread.
    void finish_in_place() noexcept {
        // pairs with: is_finished()
        word_.store(finished, std::memory_order_release);
    }

    // The caller owns the handle alone and hands the unit over through a pool. `initial`: biased or local when that pool's lane
    // is the caller's own.
    void reset(value initial = live) noexcept { word_.store(initial, std::memory_order_relaxed); }
    // Of a unit that nobody else knows yet, and that does not go into the caller's own lane after all.
    void reset_bias() noexcept {
        if (word_.load(std::memory_order_relaxed) == biased) {
            reset();
        }
    }
    // Likewise, for a unit that nobody will ever join: it is born detached.
    void reset_detached() noexcept { word_.store(detached, std::memory_order_relaxed); }

private:
    bool replace_unwaited(value by, value* found) noexcept {
        // relaxed: a guess, so that the first attempt finds what is there
        *found = word_.load(std::memory_order_relaxed) == biased ? biased : live;
        do {
            // release pairs with: finish(), exchange of word_, which reads the waiter's record, or whose caller frees the unit
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
