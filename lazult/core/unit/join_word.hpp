// SPDX-License-Identifier: BSD-3-Clause
// The one word that settles the race between a unit's end, its joiner and a detach.
//
//   from      to        by                         meaning
//   local     live      open (the owner's thread)  other threads may wait from now on
//   local     waiter    expect, claim, try_expect  a joiner on the owner's thread is registered
//                       (the owner's thread)
//   local     finished  finish_in_place            the unit has ended, without a locked instruction
//   biased    waiter    claim (the joiner that     by a plain store: this joiner runs the unit
//                       took the unit out of its   itself
//                       own lane)
//   biased    waiter    try_wait, try_expect       by compare and exchange: the joiner waits, or
//                                                  runs the unit itself
//   biased    revoked   revoke (any other thread)  a claim that reads the word from now on fails
//   revoked   live      revoke (any other thread)  no plain store can come: any thread may wait
//   biased    live      open, open_biased          before the unit gets another home, or goes to a
//                       (the unit's holder)        pool that is not its creator's own lane;
//                                                  reset_bias while no other thread knows the unit
//   live      waiter    try_wait, try_expect       the joiner is registered
//                       (joiner)
//   waiter    live      withdraw (joiner)          a join was given up; or the joiner found no
//                                                  stack to run the unit on
//   live      detached  try_detach                 nobody will join; the end frees the unit (from
//                                                  biased, too)
//   live      finished  finish (the unit's stream) a later joiner finds it finished (from biased
//                       and revoked, too)
//   waiter    finished  finish                     the finisher must wake the waiter
//   waiter    finished  finish_in_place            the waiter has run the unit itself
//   detached  finished  finish                     the finisher must free the unit
//   finished  live      reset (revive)             by the only owner of the handle (to biased, too)
//   finished  detached  reset_detached             by the only owner of the handle
//
// A unit of a private pool starts as local. While the word is local, only the OS thread that owns
// the pool writes it, so the unit's end takes no locked instruction. A joiner on another thread
// makes the owner open the word first: see join.cpp.
//
// A unit that a thread pushes into its own lane of a pool that is not private is biased towards
// that thread. While the unit has not started, the joiner that takes it out of that lane to run it
// in place may claim the word by a plain store. All other threads revoke this right first, which
// costs an asymmetric barrier. The claimer marks the unit as started in place before it reads the
// word. The revoker changes the word before it reads the mark. So at least one of them sees the
// other, and a revoker that sees the mark waits until the plain store is done.
//
// finish() is the finisher's last access to the unit, unless finish() returns `detached`.
#pragma once

#include <atomic>
#include <cstdint>

#include "lazult/ds/ds.hpp"

namespace lazult::core {

template <class Atomics = ds::default_atomics>
class join_word {
public:
    using value = std::uintptr_t;
    // claim() may store over the values up to `local`. Above `live`, a waiter is registered, or
    // nobody can wait any more. So the order of the values matters.
    static constexpr value biased = 0;
    static constexpr value local = 1;
    static constexpr value revoked = 2;
    static constexpr value live = 3;
    static constexpr value finished = 4;
    static constexpr value detached = 5;

    constexpr join_word() noexcept : word_(live) {}

    bool is_finished() const noexcept {
        // pairs with: finish(), exchange of word_: the unit's results are visible then
        return word_.load(std::memory_order_acquire) == finished;
    }

    // Returns whether a waiter is registered. A joiner must not run the unit in place then, because
    // the end of such a run wakes nobody, and that waiter would wait for ever.
    bool has_waiter() const noexcept { return is_waiter(word_.load(std::memory_order_relaxed)); }
    // Returns the word as a hint, for reports.
    value peek() const noexcept { return word_.load(std::memory_order_relaxed); }
    // Returns the word for the thread that runs the unit, and may write to the joiner it names.
    value joiner() const noexcept {
        // pairs with: replace_unwaited(), CAS of word_
        return word_.load(std::memory_order_acquire);
    }
    bool is_local() const noexcept { return word_.load(std::memory_order_relaxed) == local; }

    // Makes a local or biased word live: any thread may wait then, and the unit's end is an
    // exchange. A local word is opened on its owner's thread, or on any if the pool has no owner
    // any more. A biased word is opened by the thread that took the unit out of its lane, and that
    // runs the unit or is about to give it another home.
    void open() noexcept {
        value seen = word_.load(std::memory_order_relaxed);
        // relaxed: a thread that opens the word for another thread notifies that thread afterwards
        while (seen <= local &&
               !word_.compare_exchange_strong(seen, live, std::memory_order_relaxed,
                                              std::memory_order_relaxed)) {
        }
    }

    // Makes a biased word live. Keeps a local word: its owner opens it when another thread asks.
    void open_biased() noexcept {
        value expected = biased;
        // relaxed: as in open()
        word_.compare_exchange_strong(expected, live, std::memory_order_relaxed,
                                      std::memory_order_relaxed);
    }

    // Registers `waiter` by compare and exchange. Returns false if the unit is finished (its
    // results are then visible), detached, waited for or local; `*found` says which. Must not run
    // while claim() may be about to store: call it on the thread that may call claim(), or after
    // revoke().
    bool try_wait(value waiter, value* found) noexcept { return replace_unwaited(waiter, found); }

    // Registers `waiter` by a plain store. Called on the owner's thread for a local unit, or by
    // claim(). The unit does not run now; its end is ordered after this store by hand-overs.
    void expect(value waiter) noexcept { word_.store(waiter, std::memory_order_relaxed); }

    // Registers `waiter` by a plain store, if the word is local or biased. Returns false otherwise;
    // then try_expect() may succeed. Called by a joiner that starts a unit of its own lane itself,
    // and has marked it as started in place. Light barriers are free here: where they are not, no
    // thread has a lane for this (sched/ready_pool.hpp, offer_fast_way()).
    LAZULT_ALWAYS_INLINE bool claim(value waiter) noexcept {
        Atomics::free_barrier();  // pairs with: revoke(), heavy_barrier
        // relaxed: the claimer reads nothing that another thread has written
        if (word_.load(std::memory_order_relaxed) <= local) LAZULT_LIKELY {
            expect(waiter);
            return true;
        }
        return false;
    }
    // As claim(), but by compare and exchange, for a joiner that took the unit out of any pool.
    // Returns false if a waiter is registered, or if the unit is detached.
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

    // Returns whether the word is biased or revoked. If so, a thread that the unit is not biased
    // towards must call revoke() before try_wait() or try_detach().
    bool is_biased() const noexcept {
        const value seen = word_.load(std::memory_order_relaxed);
        return seen == biased || seen == revoked;
    }
    // Ends the bias. Any thread may call it. Returns when no plain store of claim() can come any
    // more. `is_claimed()` returns whether the unit is marked as started in place. It loads with
    // acquire the mark that the claimer stores with release before claim().
    template <class IsClaimed>
    void revoke(IsClaimed&& is_claimed) noexcept {
        begin_revoking();
        // Needed also if the word was revoked already: the other revoker's barrier may not have
        // come.
        heavy_barrier();  // pairs with: claim(), free_barrier
        end_revoking(is_claimed);
    }
    // The three steps of revoke(), for many words with one barrier.
    void begin_revoking() noexcept {
        value expected = biased;
        // relaxed: no data is passed by this word
        word_.compare_exchange_strong(expected, revoked, std::memory_order_relaxed,
                                      std::memory_order_relaxed);
    }
    // pairs with: claim(), free_barrier
    static void heavy_barrier() noexcept { Atomics::barrier_against_free(); }
    template <class IsClaimed>
    void end_revoking(IsClaimed&& is_claimed) noexcept {
        while (is_claimed() && word_.load(std::memory_order_relaxed) == revoked) {
            Atomics::pause();  // the claimer is a few instructions before its store
        }
        value expected = revoked;
        word_.compare_exchange_strong(expected, live, std::memory_order_relaxed,
                                      std::memory_order_relaxed);
    }

    // Takes the waiter back. Returns false if the finisher has it already, and is about to wake it.
    bool withdraw(value waiter) noexcept {
        value expected = waiter;
        // acquire pairs with: finish(), exchange of word_
        return word_.compare_exchange_strong(expected, live, std::memory_order_acq_rel,
                                             std::memory_order_acquire);
    }

    // Detaches the unit. Has the same precondition and results as try_wait().
    bool try_detach(value* found) noexcept { return replace_unwaited(detached, found); }

    // Marks the unit finished. Returns the value from before: `detached`, a waiter, or a value for
    // which is_unwaited() is true. If the word is a ULT's address, no other thread changes it any
    // more, because only tagged records are withdrawn once the unit may run. A store suffices.
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

    // A waiter is the address of a ULT's descriptor, or the address of a record with this bit set.
    // Once the unit may run, only records may be withdrawn.
    static constexpr value record_tag = 4;
    static constexpr bool is_waiter(value word) noexcept { return word > detached; }
    static constexpr bool is_unit(value word) noexcept {
        return is_waiter(word) && (word & record_tag) == 0;
    }

    // Marks the unit finished by a store. The unit ran in place, so that only its joiner can see
    // it; or it is local and ends on its owner's thread.
    void finish_in_place() noexcept {
        // pairs with: is_finished()
        word_.store(finished, std::memory_order_release);
    }

    // Sets the word of a unit that nobody else knows. The caller passes the unit on through a pool
    // afterwards. `initial` is biased or local if that pool's lane is the caller's own.
    void reset(value initial = live) noexcept { word_.store(initial, std::memory_order_relaxed); }
    // Makes a biased word live by a store. For a unit that nobody else knows yet, and that does not
    // go into the caller's own lane after all.
    void reset_bias() noexcept {
        if (word_.load(std::memory_order_relaxed) == biased) {
            reset();
        }
    }
    // Makes the word detached, for a new unit that nobody else knows yet and nobody will ever join.
    void reset_detached() noexcept { word_.store(detached, std::memory_order_relaxed); }

private:
    bool replace_unwaited(value by, value* found) noexcept {
        // relaxed: a guess, which the compare and exchange below checks
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
