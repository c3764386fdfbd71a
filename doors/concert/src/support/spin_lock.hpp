// SPDX-License-Identifier: BSD-3-Clause
// A lock for a few instructions, between OS threads of one process. Its holder does not suspend,
// but may make a one-sided call; so a waiter gives its processor up now and then.
//
// field  | written by      | read by   | order
// held_  | the locker      | lockers   | exchange acquire, store release
#pragma once

#include "lazult/ds/ds.hpp"

namespace lazult::concert {

class spin_lock {
public:
    bool try_lock() noexcept {
        // pairs with: unlock()
        return !held_.load(std::memory_order_relaxed) &&
               !held_.exchange(true, std::memory_order_acquire);
    }
    void lock() noexcept {
        // pairs with: unlock()
        if (held_.exchange(true, std::memory_order_acquire)) LAZULT_UNLIKELY {
            wait();
        }
    }
    // pairs with: lock(), try_lock()
    void unlock() noexcept { held_.store(false, std::memory_order_release); }

private:
    LAZULT_NOINLINE void wait() noexcept {
        for (unsigned looks = 1; !try_lock(); ++looks) {
            ds::default_atomics::pause();
            if (looks % 64 == 0) {
                os::yield_thread();
            }
        }
    }

    ds::default_atomics::atomic<bool> held_{false};
};

}  // namespace lazult::concert
