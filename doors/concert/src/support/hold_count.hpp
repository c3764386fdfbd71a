// SPDX-License-Identifier: BSD-3-Clause
// Counts the pieces of work for which quiescence waits, by two numbers that only grow. There are
// never more releases than holds: a release that would be one too many is refused, without effect.
//
// field      | written by | read by                   | order
// holds_     | hold       | release, quiescence       | relaxed: each release publishes the holds
//            |            |                           | before it
// releases_  | release    | release, quiescence       | release / acquire: publishes the hold, and
//            |            |                           | what the work sent
#pragma once

#include "lazult/ds/ds.hpp"

#include <cstdint>

namespace lazult::concert {

template <class Atomics = ds::default_atomics>
class hold_count {
    using number = typename Atomics::template atomic<std::uint64_t>;

public:
    void hold() noexcept { holds_.fetch_add(1, std::memory_order_relaxed); }

    // Returns false if nothing is held. By the acquires a caller sees the hold of each release that
    // it counts. Otherwise the caller's own hold could seem to be released already.
    bool release() noexcept {
        // pairs with: the exchange below
        std::uint64_t before = releases_.load(std::memory_order_acquire);
        do {
            if (before == holds_.load(std::memory_order_relaxed)) {
                return false;
            }
            // Release, pairs with: released(), and with the acquires here.
        } while (!releases_.compare_exchange_weak(before, before + 1, std::memory_order_release,
                                                  std::memory_order_acquire));
        return true;
    }

    // released() must be called before held(), so that no release is counted without its hold.
    std::uint64_t released() const noexcept {
        return releases_.load(std::memory_order_acquire);  // pairs with: release()
    }
    std::uint64_t held() const noexcept { return holds_.load(std::memory_order_relaxed); }

private:
    number holds_{0};
    number releases_{0};
};

}  // namespace lazult::concert
