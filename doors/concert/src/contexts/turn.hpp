// SPDX-License-Identifier: BSD-3-Clause
// Settles which thread is inside a strand, and makes sure that a thread comes when something has
// been left there from outside.
//
// A strand is like an actor with a mailbox: one thread at a time runs it, and whoever leaves news
// while nobody is inside must send a thread. Source of the protocol: the "scheduled" bit of actor
// runtimes, Akka's mailbox among them.
//
//   busy   a thread is inside
//   news   something was left since the last look; while nobody is inside: a visit has been sent
//
//   from          to            by
//   0, news       busy          try_enter: the entrant looks
//   busy|news     busy          look_again: the one inside looks
//   0             news          announce, which says that a visit must be sent
//   busy          busy|news     announce
//   busy          0             try_leave
//   busy|any      news          leave_to_visit: the one inside sends a visit and goes
//
// Sending a visit must happen before the visit, as pushing a unit happens before its run. Else the
// visitor could see the word as it was before the news, with a thread inside, and go away.
//
// field | written by | read by | order
// word_ | all        | all     | entering acquires what the last one inside released by leaving;
//       |            |         | announce releases what was left, and a look acquires it
#pragma once

#include "lazult/ds/ds.hpp"

#include <cstdint>

namespace lazult::concert {

template <class Atomics = ds::default_atomics>
class turn {
public:
    // False: another thread is inside. An entrant looks for news first.
    bool try_enter() noexcept {
        // relaxed: the CAS decides
        std::uint32_t seen = word_.load(std::memory_order_relaxed);
        while ((seen & busy) == 0) {
            // acquire pairs with: try_leave(), leave_to_visit() and announce()
            if (word_.compare_exchange_weak(seen, busy, std::memory_order_acquire,
                                            std::memory_order_relaxed)) {
                return true;
            }
        }
        return false;
    }

    // Any thread that has left something. True: the caller must send a visit, because nobody is
    // inside and none is on its way.
    bool announce() noexcept {
        // release pairs with: try_enter() and look_again()
        return word_.fetch_or(news, std::memory_order_release) == 0;
    }

    // The thread inside goes. False: there is news, and it stays.
    bool try_leave() noexcept {
        std::uint32_t expected = busy;
        // release pairs with: try_enter()
        return word_.compare_exchange_strong(expected, 0, std::memory_order_release,
                                             std::memory_order_relaxed);
    }
    // The thread inside, before it looks again.
    void look_again() noexcept {
        // acquire pairs with: announce()
        word_.fetch_and(~news, std::memory_order_acquire);
    }
    // The thread inside goes, and sends a visit afterwards.
    void leave_to_visit() noexcept {
        // release pairs with: try_enter(). A read-modify-write, so that it carries on what an
        // announcement has released that this thread has not looked at.
        word_.exchange(news, std::memory_order_release);
    }

private:
    static constexpr std::uint32_t busy = 1;
    static constexpr std::uint32_t news = 2;

    typename Atomics::template atomic<std::uint32_t> word_{0};
};

}  // namespace lazult::concert
