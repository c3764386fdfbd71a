// SPDX-License-Identifier: BSD-3-Clause
// The word of an errand: a function that was sent to another thread, and the data that it uses. The
// sender recalls the errand before it frees that data.
//
//   from      to        by                  meaning
//   pending   at_work   begin (the errand)  the sender has to wait
//   at_work   done      end (the errand)    the errand does not touch the data any more
//   pending   recalled  recall (the sender) the errand will not touch the data
//   pending   done      end (the sender)    the errand was not sent at all
#pragma once

#include <atomic>
#include <cstdint>

#include "lazult/ds/ds.hpp"

namespace lazult::core {

template <class Atomics = ds::default_atomics>
class recall_word {
public:
    constexpr recall_word() noexcept : word_(pending) {}

    // Returns false if the errand was recalled: then the data may be gone.
    bool begin() noexcept {
        std::uint32_t expected = pending;
        // relaxed: the hand-over that brought the errand to this thread brought the data, too
        return word_.compare_exchange_strong(expected, at_work, std::memory_order_relaxed,
                                             std::memory_order_relaxed);
    }
    void end() noexcept {
        word_.store(done, std::memory_order_release);  // pairs with: recall(), load of word_
    }

    // Returns when the errand does not touch the data any more. Spins while the errand is at work,
    // which is a few instructions long.
    void recall() noexcept {
        std::uint32_t seen = pending;
        // acquire (failure) pairs with: end(), store of word_
        word_.compare_exchange_strong(seen, recalled, std::memory_order_relaxed,
                                      std::memory_order_acquire);
        // acquire pairs with: end(), store of word_
        while (seen == at_work && word_.load(std::memory_order_acquire) == at_work) {
            Atomics::pause();
            os::yield_thread();
        }
    }

private:
    enum : std::uint32_t { pending, at_work, done, recalled };
    typename Atomics::template atomic<std::uint32_t> word_;
};

}  // namespace lazult::core
