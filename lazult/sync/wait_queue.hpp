// SPDX-License-Identifier: BSD-3-Clause
// The base of most objects of sync/: a word with the object's state, a spin bit and a bit that says
// that callers wait; and a queue of waiters. It follows nsync's locks, but the object's state is in
// the same word. So an operation that meets no waiter is one CAS.
//
// The word: bit 0 is the spin bit, bit 1 says that the queue is not empty, the rest is the
// object's.
//   state changes  update(), in a fast path, while spin is clear; as a rule bit 1 is clear, too
//   spin 0 -> 1    hold()
//   spin 1 -> 0    let_go(), with a new state; bit 1 is set if the queue is not empty
// Only the holder changes the word while the spin bit is set, so let_go() is a plain store. A waker
// touches the object last in let_go(), because the caller that it wakes may destroy the object.
//
// field   written by                 read by     order
// word_   fast paths, the holder     anyone      acquire / release; what a waker did is visible to
//                                                the callers that it lets pass
// last_   the holder of the spin bit the same    the spin bit's
#pragma once

#include "lazult/sync/spinning_in_place.hpp"

#include <cstdint>

namespace lazult::sync {

template <class Atomics = ds::default_atomics>
class wait_queue {
public:
    using word = std::uint64_t;
    using record = waiter<Atomics>;
    static constexpr word spin = 1;
    static constexpr word waited_for = 2;
    static constexpr word one = 4;  // the object's state begins here

    constexpr wait_queue() noexcept = default;
    constexpr explicit wait_queue(word state) noexcept : word_(state) {}

    word peek() const noexcept {
        return word_.load(std::memory_order_acquire);  // pairs with: let_go(), update()
    }

    // Changes the word from `seen` to `wanted`, without the spin bit. On failure updates `seen`.
    LAZULT_ALWAYS_INLINE bool update(word& seen, word wanted) noexcept {
        // acquire and release pair with: let_go(), update(), peek()
        return swap_if<Atomics>(word_, seen, wanted, std::memory_order_acq_rel,
                                std::memory_order_acquire);
    }

    // Sets the spin bit, for which it may have to wait. Returns the word without the bit.
    LAZULT_ALWAYS_INLINE word hold() noexcept {
        word w = word_.load(std::memory_order_relaxed);  // relaxed: the CAS decides
        // acquire pairs with: let_go(): the queue, and the state
        if ((w & spin) == 0 && swap_if<Atomics>(word_, w, w | spin, std::memory_order_acquire,
                                                std::memory_order_relaxed)) LAZULT_LIKELY {
            return w;
        }
        return hold_slow();
    }

    LAZULT_ALWAYS_INLINE void let_go(word state) noexcept {
        const word queue = static_cast<record*>(last_) == nullptr ? 0 : waited_for;
        // pairs with: hold(), update(), peek()
        word_.store((state & ~(spin | waited_for)) | queue, std::memory_order_release);
    }
    // As let_go(), for an empty queue. Neither of the two bits is set in `state`.
    LAZULT_ALWAYS_INLINE void let_go_unwaited(word state) noexcept {
        word_.store(state, std::memory_order_release);  // pairs with: hold(), update(), peek()
    }

    // --- by the holder of the spin bit
    bool empty() const noexcept { return static_cast<record*>(last_) == nullptr; }
    record* last() const noexcept { return last_; }
    record* first() const noexcept { return first_of(last()); }
    void list(record& r) noexcept {
        if (r.claim == nullptr) {
            r.claimed = claim_word<Atomics>::result::listed;
        }
        last_ = push_back(static_cast<record*>(last_), &r);
    }
    void unlist(record& r) noexcept {
        if (is_listed(r)) {
            last_ = unlink(static_cast<record*>(last_), &r);
        }
    }
    // Unlinks this record, and tries to claim it. Returns whether that succeeded.
    bool take_this(record& r) noexcept {
        unlist(r);
        return claim(&r);
    }
    // Unlinks and claims the first record that can be claimed. Returns nullptr if there is none.
    record* take() noexcept {
        record* last = last_;
        record* taken = take_first(last);
        last_ = last;
        return taken;
    }
    // Takes up to `most` records, as take() does, and lowers `most` by their number. Returns them
    // as a chain for wake_all().
    record* take_chain(std::uint64_t& most) noexcept {
        record_chain<Atomics> chain;
        while (most != 0) {
            record* r = take();
            if (r == nullptr) {
                break;
            }
            --most;
            chain.add(r);
        }
        return chain.first();
    }
    record* take_chain() noexcept {
        std::uint64_t all = ~std::uint64_t{0};
        return take_chain(all);
    }

    // --- by a caller that cannot go on without waiting
    // Waits until attempt(word, to_wake) returns true, or a waker grants what the caller waits for.
    // attempt() runs under the spin bit, on any stack. It may change the word, and may set to_wake
    // to a chain of records that it has taken. `me` holds what wakers need. Returns ok, timed_out,
    // cannot_suspend, or canceled (by a cancellation or a stop request). `how` is the urgency with
    // which this object's wakers wake callers, here those of to_wake: see may_spin_in_place().
    template <class Attempt>
    base::status wait(record& me, bool may_wait, const wait_limit& limit, Attempt attempt,
                      urgency how = urgency::none) {
        if (!may_wait) {
            return base::status::cannot_suspend;
        }
        if (limit.has_sources()) {
            return wait_claimed(me, limit, attempt, how);
        }
        auto publish = [this, attempt, how](record& r) mutable noexcept {
            return list_unless(r, attempt, how);
        };
        if constexpr (has_units<Atomics>) {
            if (me.unit != nullptr && may_spin_in_place(*me.unit, how)) {
                const auto leave = [this](record& r) noexcept { withdraw(r); };
                return block_in_place(me, limit.how, publish, leave) ? base::status::ok
                                                                     : base::status::canceled;
            }
        }
        return block_guarded(me, limit.how, publish, [](word w) { return w; });
    }

    // Waits without a deadline; `how` says whether a cancellation may end the wait. If one does,
    // the word becomes `left(word)`, the object's word without this caller.
    template <class Publish, class Left>
    base::status block_guarded(record& me, core::cancelable how, Publish publish, Left left) {
        const core::guarded_wait guard(me.unit, how);
        if (guard.is_asked()) {
            return base::status::canceled;
        }
        if (guard) {
            me.claimed = claim_word<Atomics>::result::lost;  // neither listed nor taken
        }
        block(me, publish);
        if (guard.was_interrupted()) LAZULT_UNLIKELY {
            return take_back(me, guard, left);
        }
        return base::status::ok;
    }

    // Lists the record unless attempt() succeeds. Returns whether it did; if so, the record may be
    // gone.
    template <class Attempt>
    bool list_unless(record& r, Attempt& attempt, urgency how) noexcept {
        record* to_wake = nullptr;
        word w = hold();
        const bool passed = attempt(w, to_wake);
        if (!passed) {
            list(r);
        }
        let_go(w);
        wake_all(to_wake, how);
        return !passed;
    }

    // Called by an interrupted unit: takes its record back, and returns canceled. Returns ok if the
    // wait had succeeded before.
    template <class Left>
    base::status take_back(record& me, const core::guarded_wait& guard, Left left) noexcept {
        const word w = hold();
        const auto found = me.claimed;
        if (found == claim_word<Atomics>::result::listed) {
            unlist(me);
            let_go(left(w));
            return base::status::canceled;
        }
        let_go(w);
        if (found == claim_word<Atomics>::result::asleep) {
            guard.await_waker();
        }
        return base::status::ok;
    }

    // Unlinks a record, if it is still listed, after another source has claimed the wait.
    void withdraw(record& r) noexcept {
        const word w = hold();
        unlist(r);
        let_go(w);
    }

private:
    LAZULT_NOINLINE word hold_slow() noexcept { return await_spin_bit<Atomics>(word_, spin); }

    template <class Attempt>
    base::status wait_claimed(record& me, const wait_limit& limit, Attempt& attempt, urgency how) {
        claimed_wait<Atomics> wait(me.unit);
        wait.covers(me);
        if (!list_unless(me, attempt, how)) {
            return base::status::ok;
        }
        const std::uint32_t winner = wait.sleep(limit);
        if (winner == me.index) {
            await_release(me);
            return base::status::ok;
        }
        withdraw(me);
        return winner == claim_word<Atomics>::timed_out ? base::status::timed_out
                                                        : base::status::canceled;
    }

    typename Atomics::template atomic<word> word_{0};
    typename plain_field<Atomics, record*>::type last_{nullptr};
};

}  // namespace lazult::sync
