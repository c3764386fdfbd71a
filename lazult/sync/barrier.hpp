// SPDX-License-Identifier: BSD-3-Clause
// A reusable barrier for any number of callers. The last caller to arrive wakes the others.
//
// The state in the word is the number of callers that have arrived in this round:
//   n -> n + 1   wait, while n + 1 < expected
//   n -> 0       wait by the last caller, which takes all waiters out of the queue
//   n -> n - 1   a wait that is cancelled or stopped before the last caller has come: then its
//                caller has not arrived
#pragma once

#include "lazult/sync/wait_queue.hpp"

#include <cstdint>

namespace lazult::sync {

template <class Atomics = ds::default_atomics>
class basic_barrier {
public:
    using record = waiter<Atomics>;

    constexpr explicit basic_barrier(std::uint64_t expected) noexcept : expected_(expected) {}

    // Waits until all callers have arrived. Returns true to the caller that arrived last. Misuse in
    // a tasklet that is not the last.
    bool wait() {
        if (arrive_last()) {
            return true;
        }
        const caller self = this_caller<Atomics>();
        if (!self.may_wait) {
            refuse_to_wait("barrier", "let ULTs wait for it");
        }
        bool last = false;
        arrive_and_wait(self.unit, no_deadline, &last);
        return last;
    }
    // Like wait(), but tells the last caller by `*last`, and may return cannot_suspend (in a
    // tasklet that is not the last) or canceled. In both cases the caller has not arrived.
    base::status try_wait(bool* last, const wait_limit& limit = no_deadline) {
        *last = arrive_last();
        if (!*last) {
            const caller self = this_caller<Atomics>();
            if (!self.may_wait) {
                return base::status::cannot_suspend;
            }
            return arrive_and_wait(self.unit, limit, last);
        }
        return base::status::ok;
    }

    std::uint64_t expected() const noexcept { return expected_; }
    // No caller may be waiting.
    void resize(std::uint64_t expected) noexcept { expected_ = expected; }

private:
    using queue = wait_queue<Atomics>;
    using word = typename queue::word;

    bool completes(word w) const noexcept { return w / queue::one + 1 >= expected_; }

    // Opens the barrier and returns true if the caller is the last of this round.
    bool arrive_last() noexcept {
        if (!completes(queue_.peek())) {
            return false;
        }
        const word w = queue_.hold();
        if (!completes(w)) {
            queue_.let_go(w);
            return false;
        }
        open();
        return true;
    }

    // Ends the round and wakes all waiters. The caller holds the spin bit, and open() clears it.
    void open() noexcept {
        record* waiting = queue_.take_chain();
        queue_.let_go(0);
        wake_all(waiting);
    }

    base::status arrive_and_wait(core::work_unit* self, const wait_limit& limit, bool* last) {
        record me(self, wait_kind::barrier, this);
        const auto publish = [this, last](record& r) noexcept {
            const word w = queue_.hold();
            if (completes(w)) {
                *last = true;
                open();
                return false;
            }
            queue_.list(r);
            queue_.let_go(w + queue::one);
            return true;
        };
        const base::status outcome = limit.has_sources()
                                         ? wait_claimed(me, limit, publish)
                                         : queue_.block_guarded(me, limit.how, publish, one_less);
        cancellation_point(self);
        return outcome;
    }

    static word one_less(word w) noexcept { return w - queue::one; }

    // Waits with a stop token. Returns ok if the round completes before the record is taken back.
    template <class Publish>
    base::status wait_claimed(record& me, const wait_limit& limit, const Publish& publish) {
        claimed_wait<Atomics> wait(me.unit);
        wait.covers(me);
        if (!publish(me)) {
            return base::status::ok;
        }
        if (wait.sleep(limit) == me.index) {
            await_release(me);
            return base::status::ok;
        }
        const word w = queue_.hold();
        const bool was_listed = is_listed(me);
        queue_.unlist(me);
        queue_.let_go(was_listed ? one_less(w) : w);
        return was_listed ? base::status::canceled : base::status::ok;
    }

    queue queue_;
    std::uint64_t expected_;
};

extern template class basic_barrier<ds::default_atomics>;
using barrier = basic_barrier<>;

}  // namespace lazult::sync
