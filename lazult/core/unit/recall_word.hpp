// SPDX-License-Identifier: BSD-3-Clause
// Settles whether an errand that was sent to another thread may still begin. The sender recalls it
// before it frees what the errand is about.
//
//   from      to        by                  meaning
//   pending   at_work   begin (the errand)  the sender has to wait
//   at_work   done      end (the errand)    it touches nothing any more
//   pending   recalled  recall (the sender) it will not begin
//   pending   done      end (the sender)    it was not sent at all
#pragma once

#include <atomic>
#include <cstdint>

#include "lazult/ds/ds.hpp"
#include "lazult/os/os.hpp"

namespace lazult::core {

template <class Atomics = ds::default_atomics>
class recall_word {
public:
    constexpr recall_word() noexcept : word_(pending) {}

    // False: it was recalled, and what it is about may be gone.
    bool begin() noexcept {
        std::uint32_t expected = pending;
        // relaxed: what brought the errand here brought what it is about
        return word_.compare_exchange_strong(expected, at_work, std::memory_order_relaxed,
                                             std::memory_order_relaxed);
    }
    void end() noexcept {
        word_.store(done, std::memory_order_release);  // pairs with: recall(), load of word_
    }

    // When this returns the errand does not touch anything any more. Of an errand that is a few
    // instructions long.
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
