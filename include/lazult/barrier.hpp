// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Barriers, which a fixed number of threads use again and again.
#pragma once

#include <lazult/export.hpp>

#include <cstddef>
#include <stop_token>

namespace lazult {

/// A barrier for a fixed number of threads. Model: std::barrier and pthread_barrier_t. Thread-safe.
class LAZULT_API barrier {
public:
    /// A barrier for `expected` threads. Throws error: invalid_argument (0 or fewer).
    explicit barrier(std::ptrdiff_t expected);
    barrier(const barrier&) = delete;
    barrier& operator=(const barrier&) = delete;

    /// Waits until all threads of the round have arrived; then the next round begins. Returns true
    /// for the thread that arrives last, and false for all others. May suspend. Throws error:
    /// cannot_suspend (in a tasklet that is not the last; it has not arrived then). A thread that
    /// is cancelled while it waits has not arrived either.
    bool arrive_and_wait();
    /// Waits as arrive_and_wait() does, but also returns when a stop is requested before all have
    /// arrived: then it returns false, and the caller has not arrived. Returns true when all have.
    bool arrive_and_wait(std::stop_token stop);
    /// Returns the number of threads for which each round waits. Thread-safe.
    std::ptrdiff_t expected() const noexcept;

private:
    alignas(8) std::byte state_[32];
};

}  // namespace lazult
