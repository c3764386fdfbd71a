// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A counter that opens once, at zero.
#pragma once

#include <lazult/detail/deadline.hpp>
#include <lazult/export.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <utility>

namespace lazult {

/// Model: std::latch.
class LAZULT_API latch {
public:
    /// Throws error: invalid_argument (a negative number).
    explicit latch(std::ptrdiff_t expected);
    latch(const latch&) = delete;
    latch& operator=(const latch&) = delete;

    /// Never suspends; also for tasklets. Below zero it ends the process with a message.
    void count_down(std::ptrdiff_t by = 1) noexcept;
    /// Whether it is zero. Never suspends.
    bool try_wait() const noexcept;
    /// Until it is zero. May suspend. Throw error: cannot_suspend (in a tasklet, when it is not).
    void wait() { wait_until_ns(detail::no_deadline); }
    /// Counts down, and waits. May suspend. Throws as wait(): then it has counted.
    void arrive_and_wait(std::ptrdiff_t by = 1) {
        count_down(by);
        wait();
    }
    /// Also ends when a stop is requested: then false.
    bool wait(std::stop_token stop) { return wait_until_ns(detail::no_deadline, &stop); }
    /// Counts down, and waits as above. False when a stop is requested: then it has counted.
    bool arrive_and_wait(std::stop_token stop, std::ptrdiff_t by = 1) {
        count_down(by);
        return wait(std::move(stop));
    }
    /// False when the time is over.
    template <class Rep, class Period>
    bool wait_for(std::chrono::duration<Rep, Period> span) {
        return wait_until_ns(detail::deadline_after(span));
    }
    /// As wait_for(), but until a point of time.
    template <class Clock, class Duration>
    bool wait_until(std::chrono::time_point<Clock, Duration> when) {
        return wait_until_ns(detail::deadline_at(when));
    }

private:
    bool wait_until_ns(std::int64_t deadline, const std::stop_token* stop = nullptr);

    alignas(8) std::byte state_[16];
};

}  // namespace lazult
