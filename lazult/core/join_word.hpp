// SPDX-License-Identifier: BSD-3-Clause
// The one word that settles the race between a unit's end, its joiner and a detach.
//
//   from      to        by                         meaning
//   local     live      open (the owner's thread)  from now on other threads may wait
//   local     waiter    expect, try_expect (the    a joiner on the same thread is registered
//                       owner's)
//   local     finished  finish_in_place            without a locked instruction
//   live      waiter    try_wait, expect,          the joiner's record is registered
//                       try_expect (joiner)
//   waiter    live      withdraw (joiner)          a timed join gave up, or one that was to run the unit itself
//   live      detached  try_detach                 nobody will join; the end frees the unit
//   live      finished  finish (the unit's stream) a later joiner finds it finished
//   waiter    finished  finish                     the finisher must wake the waiter
//   detached  finished  finish                     the finisher must free the unit
//   finished  live      reset (revive)             by the one owner of the handle only
//   finished  detached  reset_detached             likewise
//
// A unit of a private pool starts out local: while it is, only the OS thread that owns the pool writes the word, and so
// its end takes no locked instruction. A joiner elsewhere has that thread open the word first: see join.cpp.
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
    static constexpr value live = 0;
    static constexpr value finished = 1;
    static constexpr value detached = 2;
    static constexpr value local = 3;

    constexpr join_word() noexcept : word_(live) {}

    bool is_finished() const noexcept {
        // pairs with: finish(), exchange of word_: the unit's results are visible to who sees it finished
        return word_.load(std::memory_order_acquire) == finished;
    }

    // Somebody waits already: whoever runs it in place now would make him wait for ever.
    bool has_waiter() const noexcept { return word_.load(std::memory_order_relaxed) > local; }
    // A hint, for reports: who waits, if anybody does.
    value peek() const noexcept { return word_.load(std::memory_order_relaxed); }
    bool is_local() const noexcept { return word_.load(std::memory_order_relaxed) == local; }

    // On the owner's thread. Also where the pool has no owner any more, and the end is an exchange.
    void open() noexcept {
        value expected = local;
        // relaxed: whoever opens for another thread tells it afterwards
        word_.compare_exchange_strong(expected, live, std::memory_order_relaxed, std::memory_order_relaxed);
    }

    // False when the unit is finished (its results are then visible), or is detached or waited for already;
    // `*found` tells which.
    bool try_wait(value waiter, value* found) noexcept {
        *found = live;
        // release pairs with: finish(), exchange of word_, which reads the waiter's record
        // acquire pairs with: finish(), exchange of word_, the unit's results
        return word_.compare_exchange_strong(*found, waiter, std::memory_order_acq_rel,
                                             std::memory_order_acquire);
    }

    // By a joiner that took the unit out of its pool and starts it itself: nobody else waits, and the end comes
    // after the start on whatever thread, ordered by the hand-overs in between.
    void expect(value waiter) noexcept { word_.store(waiter, std::memory_order_relaxed); }
    // Likewise, where another thread may have begun to wait meanwhile: then false.
    bool try_expect(value waiter) noexcept {
        if (is_local()) {
            expect(waiter);
            return true;
        }
        value found = live;
        return word_.compare_exchange_strong(found, waiter, std::memory_order_relaxed,
                                             std::memory_order_relaxed);
    }

    // False when the finisher has taken the waiter meanwhile, and is about to wake it.
    bool withdraw(value waiter) noexcept {
        value expected = waiter;
        // acquire pairs with: finish(), exchange of word_
        return word_.compare_exchange_strong(expected, live, std::memory_order_acq_rel,
                                             std::memory_order_acquire);
    }

    bool try_detach(value* found) noexcept {
        *found = live;
        // release pairs with: finish(), exchange of word_, whose caller then frees the unit
        // acquire pairs with: finish(), exchange of word_, when the caller frees it
        return word_.compare_exchange_strong(*found, detached, std::memory_order_acq_rel,
                                             std::memory_order_acquire);
    }

    // Returns what stood there: live, detached or a waiter. Once a ULT's address stands there nobody else changes
    // the word any more (only tagged records are withdrawn once the unit may run), so a store does for the exchange.
    value finish() noexcept {
        // acquire pairs with: try_wait(), CAS of word_: the waiter's record
        const value before = word_.load(std::memory_order_acquire);
        if (is_unit(before)) {
            // release pairs with: is_finished(): the unit's results
            word_.store(finished, std::memory_order_release);
            return before;
        }
        // release pairs with: is_finished, try_wait, try_detach: the unit's results
        // acquire pairs with: try_wait, try_detach: the waiter's record
        const value found = word_.exchange(finished, std::memory_order_acq_rel);
        return found == local ? live : found;
    }

    // A waiter is the address of a ULT's descriptor, or a record's with this bit set. Only records may withdraw.
    static constexpr value record_tag = 4;
    static constexpr bool is_unit(value word) noexcept { return word > local && (word & record_tag) == 0; }

    // For a unit that only its joiner can see: it ran in place, or is local and ends on its owner's thread.
    void finish_in_place() noexcept {
        // pairs with: is_finished()
        word_.store(finished, std::memory_order_release);
    }

    // The caller owns the handle alone and hands the unit over through a pool.
    void reset(bool is_local = false) noexcept {
        word_.store(is_local * local, std::memory_order_relaxed);  // no branch: `live` is 0
    }
    // Likewise, for a unit that nobody will ever join: it is born detached.
    void reset_detached() noexcept { word_.store(detached, std::memory_order_relaxed); }

private:
    typename Atomics::template atomic<value> word_;
};

}  // namespace lazult::core
