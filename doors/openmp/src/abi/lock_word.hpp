// SPDX-License-Identifier: BSD-3-Clause
// A lock in the four bytes that the interface's objects have. A unit that waits suspends. States: 0
// is unlocked, 1 is locked, 2 is locked and units may wait.
//
//   0 -> 1          lock, try_lock
//   0, 1, 2 -> 2    lock, by a unit that has waited, or is about to: it holds the lock if it found
//                   0
//   1, 2 -> 0       unlock; from 2 it wakes a unit
#pragma once

#include "threads/spinning.hpp"

namespace lazult::omp {

// field   written by  read by     order
// state_  any thread  any thread  acquire to lock; seq_cst where a unit waits: see parking.hpp
class lock_word {
public:
    void lock() {
        if (!try_lock()) LAZULT_UNLIKELY {
            lock_slowly();
        }
    }
    bool try_lock() noexcept {
        std::uint32_t free = 0;
        // acquire pairs with: unlock(), exchange
        return state_.compare_exchange_strong(free, 1, std::memory_order_acquire,
                                              std::memory_order_relaxed);
    }
    void unlock() noexcept {
        // pairs with: try_lock(), lock_slowly(), and park_while()
        if (state_.exchange(0, std::memory_order_seq_cst) == 2) LAZULT_UNLIKELY {
            wake_one(&state_);
        }
    }
    bool is_locked() const noexcept { return state_.load(std::memory_order_relaxed) != 0; }

private:
    LAZULT_NOINLINE void lock_slowly() {
        spin_budget spin;
        while (spin.again()) {
            if (!is_locked() && try_lock()) {
                return;
            }
        }
        // acquire pairs with: unlock()
        while (state_.exchange(2, std::memory_order_seq_cst) != 0) {
            const auto* const word = &state_;
            // pairs with: unlock(), exchange
            park_while(own_wait::lock, word,
                       [word] { return word->load(std::memory_order_seq_cst) == 2; });
        }
    }

    atomic<std::uint32_t> state_{0};
};
static_assert(sizeof(lock_word) == 4);

}  // namespace lazult::omp
