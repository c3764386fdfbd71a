// SPDX-License-Identifier: BSD-3-Clause
// Settles which thread is inside a strand, and makes sure that a thread enters it when a thread
// from outside has left work for it.
//
// A strand is like an actor with a mailbox: one thread at a time runs it. A thread that leaves work
// while nobody is inside must send a visit, which is a unit that enters the strand. Source of the
// protocol: the "scheduled" bit of actor runtimes, Akka's mailbox among them.
//
// News: what a thread outside has put into the strand's queue for the thread inside. To look: to
// take all news out of that queue. A visit: a unit that enters the strand, looks, runs what is
// ready, and leaves.
//
//   busy   a thread is inside
//   news   news was left since the last look; while nobody is inside: a visit has been sent
//
//   from          to            by
//   0, news       busy          try_enter: the entrant looks afterwards
//   busy|news     busy          look_again: the thread inside looks afterwards
//   0             news          announce: its caller sends a visit
//   busy          busy|news     announce
//   busy          0             try_leave
//   busy|any      news          leave_to_visit: the thread that was inside sends a visit
//
// Sending a visit must happen before the visit, as pushing a unit happens before its run. Else the
// visitor could read the word's value from before the news, with a thread inside, and go away.
//
// field | written by | read by | order
// word_ | all        | all     | entering acquires what the last one inside released by leaving;
//       |            |         | announce releases what was left, and a look acquires it; entering
//       |            |         | releases what came before, and one that may not enter acquires it
#pragma once

#include "support/hold_count.hpp"

#include "lazult/ds/ds.hpp"

#include <cstdint>

namespace lazult::concert {

template <class Atomics = ds::default_atomics>
class turn {
public:
    // Enters the strand; the caller must look for news first. Returns false if another thread is
    // inside.
    bool try_enter() noexcept {
        // acquire pairs with: the CAS below, by which the thread inside has come in
        std::uint32_t seen = word_.load(std::memory_order_acquire);
        while ((seen & busy) == 0) {
            // acquire pairs with: try_leave(), leave_to_visit() and announce(); release pairs with:
            // the acquires here, so that one that goes away knows of the hold of the one inside
            if (word_.compare_exchange_weak(seen, busy, std::memory_order_acq_rel,
                                            std::memory_order_acquire)) {
                return true;
            }
        }
        return false;
    }

    // Called by any thread, after it has left news. Returns true if the caller must send a visit,
    // because no thread is inside and no visit is on its way.
    bool announce() noexcept {
        // release pairs with: try_enter() and look_again(); acquire pairs with: try_enter(), so
        // that a caller that sends no visit knows of the hold of the one inside
        return word_.fetch_or(news, std::memory_order_acq_rel) == 0;
    }

    // Called by the thread inside: leaves the strand. Returns false if there is news: then the
    // thread is still inside.
    bool try_leave() noexcept {
        std::uint32_t expected = busy;
        // release pairs with: try_enter()
        return word_.compare_exchange_strong(expected, 0, std::memory_order_release,
                                             std::memory_order_relaxed);
    }
    // Called by the thread inside right before it takes the news out of the queue. News that is
    // left from now on sets the bit again.
    void look_again() noexcept {
        // acquire pairs with: announce()
        word_.fetch_and(~news, std::memory_order_acquire);
    }
    // Called by the thread inside: leaves the strand, with news or not. The caller must send a
    // visit afterwards.
    void leave_to_visit() noexcept {
        // release pairs with: try_enter(). A read-modify-write, because it continues the release
        // sequence of an announce() that this thread has not looked at.
        word_.exchange(news, std::memory_order_release);
    }

private:
    static constexpr std::uint32_t busy = 1;
    static constexpr std::uint32_t news = 2;

    typename Atomics::template atomic<std::uint32_t> word_{0};
};

// A turn that counts as held work as long as a thread is inside or a visit is on its way. So
// quiescence waits for what was left in a strand by a message's handler, and for what that sends.
// There is no moment without a hold: the handler takes one before its message counts as delivered,
// a thread that enters takes one before it is inside, and whoever goes away because a thread is
// inside knows of that thread's hold before it lets go of its own.
template <class Atomics = ds::default_atomics>
class counted_turn {
public:
    explicit constexpr counted_turn(hold_count<Atomics>& work) noexcept : work_(work) {}

    bool try_enter() noexcept {
        work_.hold();
        if (!turn_.try_enter()) {
            work_.release();
            return false;
        }
        return true;
    }
    // True: the caller must send a visit, which is held.
    bool announce() noexcept {
        if (!turn_.announce()) {
            return false;
        }
        work_.hold();
        return true;
    }
    bool try_leave() noexcept {
        if (!turn_.try_leave()) {
            return false;
        }
        work_.release();
        return true;
    }
    void look_again() noexcept { turn_.look_again(); }
    // The hold of the thread inside goes to the visit that it must send.
    void leave_to_visit() noexcept { turn_.leave_to_visit(); }
    // The visitor, when it has left, or found another thread inside.
    void end_visit() noexcept { work_.release(); }

private:
    turn<Atomics> turn_;
    hold_count<Atomics>& work_;
};

}  // namespace lazult::concert
