// SPDX-License-Identifier: BSD-3-Clause
// Settles which thread resumes a unit if its wait can also be ended from outside, by
// lazult::cancel() or a stop request. That thread is a waker (the object, a timer, the end of a
// joined unit) or an interrupter. Exactly one of them resumes the unit. The result of the wait
// itself is not settled here: an interrupted unit takes its record out of the object, and learns
// then whether a waker has taken the record first.
//
//   from         to           by                        meaning
//   open         masked       mask (the unit)           cancellation is disabled until unmask()
//   open,masked  preparing    begin (the unit)          it is about to suspend
//   preparing    waiting      commit (the publisher)    its record is listed; its context is saved,
//                                                       or is about to be (leave.hpp)
//   preparing    early        resume (a waker)          a waker came before commit(), which tells
//                                                       the publisher
//   preparing    interrupted  interrupt                 an interrupter came before commit(), which
//                                                       tells the publisher
//   waiting      resumed      resume (a waker)          the waker makes the unit ready
//   waiting      interrupted  interrupt                 the interrupter makes the unit ready
//   interrupted  passed_by    resume (a waker)          the waker came too late, and touches
//                                                       nothing of the wait any more
//   any          open,masked  end (the unit)            the wait is over
//   open         child_waits  lend (a child that the    the child waits, and stands in the unit's
//                             unit called in place)     `next`
//   child_waits  open         take_back (the child)     the child's wait is over
//   child_waits  held         hold_child (an            the child cannot end its wait before
//                             interrupter)              let_child_go()
//   held         child_waits  let_child_go (the         the child may end its wait
//                             interrupter)
//
// The publisher is the unit itself right before its switch (leave.hpp), or the unit that runs next
// on its stream, after the switch. A unit in a wait that cannot be ended from outside is open or
// masked: its waker sees that with one load, and resumes the unit.
#pragma once

#include <atomic>
#include <cstdint>

#include "lazult/ds/ds.hpp"

namespace lazult::core {

template <class Atomics = ds::default_atomics>
class wait_word {
public:
    enum state : std::uint8_t {
        open,
        masked,
        child_waits,
        held,
        preparing,
        waiting,
        early,
        resumed,
        interrupted,
        passed_by,
    };

    constexpr wait_word() noexcept : word_(open) {}

    // --- by the unit
    state now() const noexcept { return at(word_.load(std::memory_order_relaxed)); }
    bool is_open() const noexcept { return now() == open; }
    // Returns whether a child that the unit has called in place waits.
    bool is_lent() const noexcept { return now() == child_waits || now() == held; }
    // Returns whether the wait can be ended from outside. The publisher, too, may call this before
    // it lists the record.
    bool is_guarded() const noexcept { return now() >= preparing; }
    // Begins a wait, and returns the state from before, for end(). The light barrier orders this
    // store before later loads of the unit. An interrupter stores its request, passes a heavy
    // barrier and reads this word. So it sees this store, or the unit sees the request.
    state begin() noexcept {
        const state before = now();
        word_.store(preparing, std::memory_order_relaxed);
        Atomics::light_barrier();  // pairs with: core/switch/interrupt.cpp, cancel_waits(),
                                   // heavy_barrier
        return before;
    }
    // Returns whether an interrupter resumed the unit. Called first after a suspension.
    bool was_interrupted() const noexcept {
        // pairs with: commit(), interrupt(), and resume(), CAS to early and to passed_by: what
        // those threads did
        const state seen = at(word_.load(std::memory_order_acquire));
        if (seen > waiting) {
            probe::acquire(this);
        }
        return seen == interrupted || seen == passed_by;
    }
    // Called after an interruption, if a waker has taken the unit's record. Returns whether that
    // waker is done with the record.
    bool was_passed_by() const noexcept {
        const state seen = at(word_.load(std::memory_order_acquire));  // pairs with: resume()
        if (seen == passed_by) {
            probe::acquire(this);
        }
        return seen == passed_by;
    }
    void end(state before) noexcept { word_.store(before, std::memory_order_relaxed); }
    state mask() noexcept {
        const state before = now();
        word_.store(masked, std::memory_order_relaxed);
        return before;
    }
    void unmask(state before) noexcept { word_.store(before, std::memory_order_relaxed); }

    // --- by the publisher. False: a waker or an interrupter came first, and the publisher makes
    // the unit ready.
    bool commit() noexcept {
        std::uint8_t seen = preparing;
        // release pairs with: interrupt(), was_interrupted(): the context or its mark, and what was
        // written to the frame
        return ds::swap_if<Atomics>(word_, seen, std::uint8_t{waiting}, std::memory_order_release,
                                    std::memory_order_relaxed);
    }

    // --- by a waker. True: the waker makes the unit ready.
    LAZULT_ALWAYS_INLINE bool resume() noexcept {
        const std::uint8_t seen = word_.load(std::memory_order_relaxed);
        return seen < preparing || resume_guarded(seen);
    }

    // --- by an interrupter. True: the interrupter makes the unit ready.
    bool interrupt() noexcept {
        std::uint8_t seen = word_.load(std::memory_order_relaxed);
        while (seen == preparing || seen == waiting) {
            probe::release(this);  // pairs with: was_interrupted(), as the release below
            // acquire pairs with: commit(): the saved context, or that the unit is leaving
            // release pairs with: was_interrupted()
            if (word_.compare_exchange_strong(seen, interrupted, std::memory_order_acq_rel,
                                              std::memory_order_relaxed)) {
                return seen == waiting;
            }
        }
        return false;
    }

    // --- for a unit that has called a child in place. Its join is the call of the child, so that
    // it cannot leave the join before the child has ended.
    //
    // Called by the child before its own begin(), when it has stored itself in this unit's `next`.
    void lend() noexcept {
        word_.store(child_waits, std::memory_order_release);  // pairs with: hold_child(): the child
    }
    // Called by the child after its wait. Returns false while an interrupter holds the child.
    bool take_back() noexcept {
        std::uint8_t seen = child_waits;
        // acquire pairs with: let_child_go(): what the interrupter did
        return ds::swap_if<Atomics>(word_, seen, std::uint8_t{open}, std::memory_order_acquire,
                                    std::memory_order_relaxed);
    }
    // Called by an interrupter. True: a child waits, and stays in `next` until let_child_go().
    bool hold_child() noexcept {
        std::uint8_t seen = child_waits;
        // acquire pairs with: lend(): the child
        return word_.compare_exchange_strong(seen, held, std::memory_order_acquire,
                                             std::memory_order_relaxed);
    }
    void let_child_go() noexcept {
        word_.store(child_waits, std::memory_order_release);  // pairs with: take_back()
    }

private:
    static state at(std::uint8_t value) noexcept { return static_cast<state>(value); }

    static std::uint8_t after_resume(std::uint8_t seen) noexcept {
        return seen == waiting ? resumed : seen == preparing ? early : passed_by;
    }

    // Returns true also if the word is `resumed`. Then a waker has resumed the unit only to move it
    // to the queue of another object, and the waker of that object calls this.
    bool resume_guarded(std::uint8_t seen) noexcept {
        while (seen == preparing || seen == waiting || seen == interrupted) {
            // pairs with: was_interrupted() and was_passed_by(), as the release below
            probe::release(this);
            // release pairs with: was_passed_by(), was_interrupted(): what the waker did. No
            // acquire, because what the publisher wrote after it had listed the record is for the
            // unit alone. The unit acquires that in was_interrupted(), because this CAS continues
            // the release sequence of commit().
            if (ds::swap_if<Atomics>(word_, seen, std::uint8_t{after_resume(seen)},
                                     std::memory_order_release, std::memory_order_relaxed)) {
                return seen == waiting;
            }
        }
        return seen == resumed;
    }

    typename Atomics::template atomic<std::uint8_t> word_;
};

}  // namespace lazult::core
