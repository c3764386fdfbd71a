// SPDX-License-Identifier: BSD-3-Clause
// A counting semaphore. First come, first served: a released token goes to the caller that has
// waited longest, and new callers queue behind it. Without waiters, acquire and release are one CAS
// each.
//
// The state in the word is the number of free tokens, which is 0 while callers wait.
//   n -> n - 1   acquire, try_acquire; wait_any
//   n -> n + k   release, by the k tokens that no waiter takes
#pragma once

#include "lazult/sync/wait_queue.hpp"

#include <cstdint>

namespace lazult::sync {

template <class Atomics = ds::default_atomics>
class basic_semaphore {
public:
    using queue = wait_queue<Atomics>;
    using record = waiter<Atomics>;

    constexpr explicit basic_semaphore(std::uint64_t tokens = 0) noexcept
        : queue_(tokens * queue::one) {}

    // Takes a token, for which it may wait. Misuse in a tasklet, if there is no token.
    void acquire() {
        if (!try_acquire() && acquire_slow(no_deadline) != base::status::ok) {
            refuse_to_wait("semaphore", "use try_acquire(), or acquire it in a ULT");
        }
    }
    LAZULT_ALWAYS_INLINE bool try_acquire() noexcept {
        word w = queue_.peek();
        while (w >= queue::one && (w & queue::waited_for) == 0) {
            if ((w & queue::spin) != 0) {
                Atomics::pause();
                w = queue_.peek();
            } else if (queue_.update(w, w - queue::one)) {
                return true;
            }
        }
        return false;
    }
    // Returns ok, timed_out, canceled, or cannot_suspend in a tasklet.
    base::status acquire_until(const wait_limit& limit) {
        return try_acquire() ? base::status::ok : acquire_slow(limit);
    }

    LAZULT_ALWAYS_INLINE void release(std::uint64_t tokens = 1) noexcept {
        word w = queue_.peek();
        while ((w & (queue::spin | queue::waited_for)) == 0) {
            if (queue_.update(w, w + tokens * queue::one)) LAZULT_LIKELY {
                return;
            }
        }
        release_slow(tokens);
    }

    // A hint, if other callers use the semaphore meanwhile.
    std::uint64_t tokens() const noexcept { return queue_.peek() / queue::one; }

    // The next three functions are for wait_any().
    static bool has_token(std::uint64_t w) noexcept { return w >= queue::one; }
    static bool take_token(std::uint64_t& w, record*&) noexcept {
        if (!has_token(w)) {
            return false;
        }
        w -= queue::one;
        return true;
    }
    wait_queue<Atomics>& waiters() noexcept { return queue_; }

private:
    using word = typename queue::word;

    LAZULT_NOINLINE base::status acquire_slow(const wait_limit& limit) {
        const caller self = this_caller<Atomics>();
        record me(self.unit, wait_kind::semaphore, this);
        return queue_.wait(me, self.may_wait, limit, take_token);
    }

    LAZULT_NOINLINE void release_slow(std::uint64_t tokens) noexcept {
        const word w = queue_.hold();
        record* served = queue_.take_chain(tokens);
        queue_.let_go(w + tokens * queue::one);
        wake_all(served);
    }

    queue queue_;
};

extern template class basic_semaphore<ds::default_atomics>;
using semaphore = basic_semaphore<>;

}  // namespace lazult::sync
