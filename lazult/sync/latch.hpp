// SPDX-License-Identifier: BSD-3-Clause
// A counter that goes down to zero once. From then on every caller passes.
//
// The state in the word is what is left to count:
//   n -> n - k   count_down
//   n -> 0       the last count_down, which wakes all waiters
#pragma once

#include "lazult/sync/wait_queue.hpp"

#include <cstdint>

namespace lazult::sync {

template <class Atomics = ds::default_atomics>
class basic_latch {
public:
    using record = waiter<Atomics>;

    constexpr explicit basic_latch(std::uint64_t count) noexcept : queue_(count * queue::one) {}

    // Misuse if the counter would go below zero. Tasklets may call it, too.
    LAZULT_ALWAYS_INLINE void count_down(std::uint64_t by = 1) noexcept {
        word w = queue_.peek();
        while ((w & (queue::spin | queue::waited_for)) == 0 && w >= by * queue::one) {
            if (queue_.update(w, w - by * queue::one)) LAZULT_LIKELY {
                return;
            }
        }
        count_down_slow(by);
    }

    bool try_wait() const noexcept { return queue_.peek() < queue::one; }

    // Waits until the counter is zero. Misuse in a tasklet, if it is not.
    void wait() {
        if (wait_until(no_deadline) != base::status::ok) {
            refuse_to_wait("latch", "use try_wait(), or wait for it in a ULT");
        }
    }
    // Returns ok, timed_out, canceled, or cannot_suspend in a tasklet.
    base::status wait_until(const wait_limit& limit) {
        return try_wait() ? base::status::ok : wait_slow(limit);
    }
    void arrive_and_wait(std::uint64_t by = 1) {
        count_down(by);
        wait();
    }

private:
    using queue = wait_queue<Atomics>;
    using word = typename queue::word;

    static bool is_open(const word& w, record*&) noexcept { return w < queue::one; }

    LAZULT_NOINLINE void count_down_slow(std::uint64_t by) noexcept {
        const word w = queue_.hold();
        if (w / queue::one < by) {
            base::fatal_misuse("latch", "it is counted down below zero",
                               "count it down as often as it was made for");
        }
        const word left = (w / queue::one - by) * queue::one;
        record* waiting = left == 0 ? queue_.take_chain() : nullptr;
        queue_.let_go(left);
        wake_all(waiting);
    }

    LAZULT_NOINLINE base::status wait_slow(const wait_limit& limit) {
        const caller self = this_caller<Atomics>();
        record me(self.unit, wait_kind::latch, this);
        const base::status outcome = queue_.wait(me, self.may_wait, limit, is_open);
        cancellation_point(self.unit);
        return outcome;
    }

    queue queue_;
};

extern template class basic_latch<ds::default_atomics>;
using latch = basic_latch<>;

}  // namespace lazult::sync
