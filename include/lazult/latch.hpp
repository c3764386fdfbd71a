// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Counters on which threads wait until they are zero.
#pragma once

#include <lazult/detail/deadline.hpp>
#include <lazult/export.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <utility>

namespace lazult {

/// A counter that threads count down once; waits end at zero. Model: std::latch. Thread-safe.
class LAZULT_API latch {
public:
    /// A latch that counts down from `expected`. Throws error: invalid_argument (negative).
    explicit latch(std::ptrdiff_t expected);
    latch(const latch&) = delete;
    latch& operator=(const latch&) = delete;

    /// Subtracts `by`. Never suspends. Ends the process, with a message, below zero.
    void count_down(std::ptrdiff_t by = 1) noexcept;
    /// Returns true if the counter is zero. Never suspends.
    bool try_wait() const noexcept;
    /// Waits until the counter is zero. May suspend. Throws error: cannot_suspend (in a tasklet).
    void wait() { wait_until_ns(detail::no_deadline); }
    /// Counts down, and waits. May suspend. If wait() throws, it has counted down.
    void arrive_and_wait(std::ptrdiff_t by = 1) {
        count_down(by);
        wait();
    }
    /// Waits, but returns false when a stop is requested first.
    bool wait(std::stop_token stop) { return wait_until_ns(detail::no_deadline, &stop); }
    /// Counts down, and waits. Returns false when a stop is requested first; it has counted down.
    bool arrive_and_wait(std::stop_token stop, std::ptrdiff_t by = 1) {
        count_down(by);
        return wait(std::move(stop));
    }
    /// Waits for at most `span`. Returns false if the counter is not zero then. May suspend.
    template <class Rep, class Period>
    bool wait_for(std::chrono::duration<Rep, Period> span) {
        return wait_until_ns(detail::deadline_after(span));
    }
    /// Does what wait_for() does, but until `when`.
    template <class Clock, class Duration>
    bool wait_until(std::chrono::time_point<Clock, Duration> when) {
        return wait_until_ns(detail::deadline_at(when));
    }

private:
    bool wait_until_ns(std::int64_t deadline, const std::stop_token* stop = nullptr);

    alignas(8) std::byte state_[16];
};

}  // namespace lazult
