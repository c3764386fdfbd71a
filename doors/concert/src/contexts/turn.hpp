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
// ready, and leaves. At most one visit is on its way.
//
//   busy   a thread is inside
//   news   news was left since the last look, or contexts are ready; if nobody is inside, a visit
//          is on its way
//   visit  a visit is on its way: it has not tried to enter yet. It may be a tasklet, or a thread
//          that has left for a moment to look for messages
//
//   from              to              by
//   0, visit|news?    busy|visit?     try_enter: the entrant looks afterwards
//   visit|any         busy            try_enter_by_visit: if no thread is inside; the visit looks
//   busy|visit|news?  busy|news?      try_enter_by_visit: if a thread is inside; the visit ends
//   busy|any          busy|any|news   announce, announce_to_expected
//   visit|any         visit|news      announce, announce_to_expected
//   0                 visit|news      announce: its caller sends the visit
//   busy|any          busy|visit?     look_again: the thread inside looks afterwards
//   busy|visit?       visit?          try_leave
//   busy|any          visit|news      leave_to_visit: the thread that was inside sends the visit,
//                                     unless one is on its way
//
// field | written by | read by | order
// word_ | all        | all     | entering acquires what the last one inside released by leaving;
//       |            |         | announce releases what was left, and a look acquires it;
//       |            |         | try_enter and announce release the caller's hold; a caller of
//       |            |         | announce that sends no visit, and a visit that ends, acquire the
//       |            |         | hold of the thread inside or of the visit
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
        std::uint32_t seen = word_.load(std::memory_order_relaxed);
        while ((seen & busy) == 0) {
            // acquire pairs with: try_leave(), leave_to_visit() and announce(); release pairs with:
            // announce() and try_enter_by_visit(), so that one that goes away knows of the hold of
            // the one inside
            if (word_.compare_exchange_weak(seen, busy | (seen & visit), std::memory_order_acq_rel,
                                            std::memory_order_relaxed)) {
                return true;
            }
        }
        return false;
    }
    // The same, called by the visit that is on its way. From now on another may be sent.
    bool try_enter_by_visit() noexcept {
        std::uint32_t seen = busy | visit;  // a guess
        std::uint32_t next = 0;
        do {
            next = (seen & busy) != 0 ? seen & ~visit : busy;
            // acquire pairs with: as in try_enter(), and with try_enter(). A visit that finds
            // another thread inside changes the word, too: the thread inside reads the word when it
            // leaves, and sends another visit if it must.
        } while (!word_.compare_exchange_weak(seen, next, std::memory_order_acquire,
                                              std::memory_order_relaxed));
        return (seen & busy) == 0;
    }

    // A hint for threads outside: a visit is on its way, has something to do, and no thread is
    // inside.
    bool is_visit_due() const noexcept {
        return word_.load(std::memory_order_relaxed) == (visit | news);
    }

    // A hint for the thread inside: news was left since its last look.
    bool has_news() const noexcept { return (word_.load(std::memory_order_relaxed) & news) != 0; }

    // Called by any thread, after it has left news. Returns false if nobody will look: then the
    // caller must announce() instead.
    bool announce_to_expected() noexcept {
        std::uint32_t seen = word_.load(std::memory_order_relaxed);
        while ((seen & (busy | visit)) != 0) {
            // release pairs with: try_enter() and look_again(); acquire pairs with: what made the
            // word so, so that the caller knows of the hold of the thread inside or of the visit
            if (word_.compare_exchange_weak(seen, seen | news, std::memory_order_acq_rel,
                                            std::memory_order_relaxed)) {
                return true;
            }
        }
        return false;
    }
    // Called by any thread, after it has left news. Returns true if the caller must send a visit,
    // because no thread is inside and no visit is on its way.
    bool announce() noexcept {
        std::uint32_t seen = 0;  // a guess
        std::uint32_t next = 0;
        do {
            next = (seen & (busy | visit)) != 0 ? seen | news : visit | news;
            // pairs with: as in announce_to_expected()
        } while (!word_.compare_exchange_weak(seen, next, std::memory_order_acq_rel,
                                              std::memory_order_relaxed));
        return (seen & (busy | visit)) == 0;
    }

    // Called by the thread inside: leaves the strand. Returns false if there is news: then the
    // thread is still inside.
    bool try_leave() noexcept {
        std::uint32_t seen = busy;  // a guess
        do {
            // release pairs with: try_enter()
            if (word_.compare_exchange_weak(seen, seen & visit, std::memory_order_release,
                                            std::memory_order_relaxed)) {
                return true;
            }
        } while ((seen & news) == 0);
        return false;
    }
    // Called by the thread inside right before it takes the news out of the queue. News that is
    // left from now on sets the bit again.
    void look_again() noexcept {
        // acquire pairs with: announce()
        word_.fetch_and(~news, std::memory_order_acquire);
    }
    // Called by the thread inside: leaves the strand, with news or not. Returns true if the caller
    // must send a visit, because none is on its way.
    bool leave_to_visit() noexcept {
        // release pairs with: try_enter() and try_enter_by_visit(). A read-modify-write, because it
        // continues the release sequence of an announce() that this thread has not looked at. A
        // visit that is on its way was so when this thread entered, which knows of its hold.
        return (word_.exchange(visit | news, std::memory_order_release) & visit) == 0;
    }

private:
    static constexpr std::uint32_t busy = 1;
    static constexpr std::uint32_t news = 2;
    static constexpr std::uint32_t visit = 4;

    typename Atomics::template atomic<std::uint32_t> word_{0};
};

// A turn that counts as held work as long as a thread is inside or a visit is on its way: each has
// one hold. So quiescence waits for what was left in a strand by a message's handler, and for what
// that sends. At each moment there is a hold. The handler takes one before its message counts as
// delivered. A thread takes one before it sets `busy` or `visit` in the word. A thread that leaves
// its work to the thread inside, or to a visit, knows of that one's hold before it releases its
// own.
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
    // The visit's hold goes to the thread inside, which it becomes.
    bool try_enter_by_visit() noexcept {
        if (!turn_.try_enter_by_visit()) {
            work_.release();
            return false;
        }
        return true;
    }
    bool is_visit_due() const noexcept { return turn_.is_visit_due(); }
    bool has_news() const noexcept { return turn_.has_news(); }
    // True: the caller must send a visit, which is held.
    bool announce() noexcept {
        if (turn_.announce_to_expected()) {
            return false;
        }
        work_.hold();
        if (!turn_.announce()) {
            work_.release();
            return false;
        }
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
    // True: the caller must send a visit, to which the hold of the thread inside goes.
    bool leave_to_visit() noexcept {
        if (!turn_.leave_to_visit()) {
            work_.release();
            return false;
        }
        return true;
    }

private:
    turn<Atomics> turn_;
    hold_count<Atomics>& work_;
};

}  // namespace lazult::concert
