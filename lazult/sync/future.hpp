// SPDX-License-Identifier: BSD-3-Clause
// A future with several compartments, as ABT_future. It is ready when each compartment has been
// set, and may call a function of its creator then.
//
// The state in the word: how many compartments are set, and whether the future is ready.
//   n -> n + 1            set, while n < compartments
//   compartments -> ready set, by the caller that set the last one, after the callback has returned
//   ready -> 0            reset
#pragma once

#include "lazult/sync/wait_queue.hpp"

#include <cstdint>
#include <memory>

namespace lazult::sync {

template <class Atomics = ds::default_atomics>
class basic_future {
public:
    using record = waiter<Atomics>;
    // Gets the values in the order in which they were set. The caller that sets the last value
    // calls it. It must not wait.
    using callback = void (*)(void** values);

    // Throws std::bad_alloc. A future without compartments is ready from the beginning, and never
    // calls back.
    explicit basic_future(std::uint64_t compartments, callback when_ready = nullptr)
        : queue_(compartments == 0 ? ready_bit : 0),
          compartments_(compartments),
          callback_(when_ready),
          values_(std::make_unique<void*[]>(compartments)) {}
    // Waits, as reset() does, for a set() that is calling back: the destroying thread may have
    // learnt from that callback that all compartments are set.
    ~basic_future() { hold_settled(); }

    // Sets the next compartment. Any caller may. Returns busy if all of them are set already.
    base::status set(void* value) noexcept {
        const word w = queue_.hold();
        const std::uint64_t filled = w / one_set;
        if ((w & ready_bit) != 0 || filled == compartments_) {
            queue_.let_go(w);
            return base::status::busy;
        }
        values_[filled] = value;
        if (filled + 1 != compartments_) {
            queue_.let_go(w + one_set);
            return base::status::ok;
        }
        if (callback_ != nullptr) {
            queue_.let_go(w + one_set);  // because the callback may take long
            callback_(values_.get());
            queue_.hold();
        }
        record* waiting = queue_.take_chain();
        queue_.let_go(ready_bit);
        wake_all(waiting);
        return base::status::ok;
    }

    // Waits until the future is ready. Misuse in a tasklet, if it is not.
    void wait() {
        if (!is_ready() && wait_slow(no_deadline) != base::status::ok) {
            refuse_to_wait("future", "ask is_ready(), or wait for it in a ULT");
        }
    }
    // Returns ok, timed_out, canceled, or cannot_suspend in a tasklet.
    base::status wait_until(const wait_limit& limit) {
        return is_ready() ? base::status::ok : wait_slow(limit);
    }
    bool is_ready() const noexcept { return passes(queue_.peek()); }

    // Makes all compartments unset; waiters go on waiting. A caller that learns from the callback
    // that all compartments are set may reset the future at once, because reset() waits for the end
    // of that set(). The callback itself must not call reset().
    void reset() noexcept {
        hold_settled();
        queue_.let_go(compartments_ == 0 ? ready_bit : 0);
    }

    // Precondition: the future is ready.
    void* const* values() const noexcept { return values_.get(); }
    std::uint64_t compartments() const noexcept { return compartments_; }

    // The next two functions are for wait_any().
    static bool passes(std::uint64_t w) noexcept { return (w & ready_bit) != 0; }
    wait_queue<Atomics>& waiters() noexcept { return queue_; }

private:
    using queue = wait_queue<Atomics>;
    using word = typename queue::word;
    static constexpr word ready_bit = queue::one;
    static constexpr word one_set = 2 * queue::one;

    // Sets the spin bit, at a moment when no set() is calling back.
    void hold_settled() noexcept {
        brief_spin<Atomics> brief;
        word w = queue_.hold();
        while ((w & ready_bit) == 0 && w / one_set == compartments_) {
            queue_.let_go(w);
            brief.pause();
            w = queue_.hold();
        }
    }

    LAZULT_NOINLINE base::status wait_slow(const wait_limit& limit) {
        const caller self = this_caller<Atomics>();
        record me(self.unit, wait_kind::future, this);
        const base::status outcome = queue_.wait(
            me, self.may_wait, limit, [](const word& w, record*&) noexcept { return passes(w); });
        cancellation_point(self.unit);
        return outcome;
    }

    queue queue_;
    std::uint64_t compartments_;
    callback callback_;
    std::unique_ptr<void*[]> values_;
};

extern template class basic_future<ds::default_atomics>;
using future = basic_future<>;

}  // namespace lazult::sync
