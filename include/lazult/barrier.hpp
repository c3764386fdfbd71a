// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A meeting point, again and again.
#pragma once

#include <lazult/export.hpp>

#include <cstddef>
#include <stop_token>

namespace lazult {

/// Model: std::barrier and pthread_barrier_t.
class LAZULT_API barrier {
public:
    /// Throws error: invalid_argument (0 or fewer).
    explicit barrier(std::ptrdiff_t expected);
    barrier(const barrier&) = delete;
    barrier& operator=(const barrier&) = delete;

    /// Waits until all have arrived; the next round begins then. True for the last one, and for
    /// nobody else. May suspend. Throws error: cannot_suspend (in a tasklet that is not the last;
    /// it has not arrived then). A thread that is cancelled while it waits has not arrived either.
    bool arrive_and_wait();
    /// Also ends when a stop is requested before all have arrived: then false, and it has not
    /// arrived. True when all have.
    bool arrive_and_wait(std::stop_token stop);
    /// How many threads each round waits for. Thread-safe.
    std::ptrdiff_t expected() const noexcept;

private:
    alignas(8) std::byte state_[32];
};

}  // namespace lazult
