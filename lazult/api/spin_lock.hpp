// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

#include "lazult/ds/ds.hpp"

namespace lazult::api {

// A lock that is held for a few instructions and never over a suspension.
class spin_lock {
public:
    void lock() noexcept {
        // acquire pairs with: unlock()
        for (int tries = 1; taken_.exchange(1, std::memory_order_acquire) != 0; ++tries) {
            if (tries % 64 == 0) {
                os::yield_thread();
            }
            ds::default_atomics::pause();
        }
    }
    void unlock() noexcept {
        // pairs with: lock()
        taken_.store(0, std::memory_order_release);
    }

private:
    ds::default_atomics::atomic<std::uint32_t> taken_{0};
};

}  // namespace lazult::api
