// SPDX-License-Identifier: BSD-3-Clause
// Times of POSIX as the runtime's deadlines.
#pragma once

#include <ctime>

#include <cerrno>
#include <cstdint>

#include "lazult/sync/sync.hpp"

namespace lazult::posix {

inline constexpr std::int64_t second_ns = 1'000'000'000;

inline bool is_valid(const timespec& time) noexcept {
    return time.tv_nsec >= 0 && time.tv_nsec < second_ns;
}

// A duration in nanoseconds; 292 years at most.
inline std::int64_t nanoseconds_of(const timespec& time) noexcept {
    constexpr std::int64_t most_seconds = INT64_MAX / second_ns - 1;
    if (time.tv_sec > most_seconds) {
        return INT64_MAX;
    }
    return time.tv_sec < 0 ? -1 : time.tv_sec * second_ns + time.tv_nsec;
}

// The deadline for a time of that clock. A clock that is set later does not change it.
inline std::int64_t deadline_at(clockid_t clock, const timespec& when) noexcept {
    timespec now{};
    ::clock_gettime(clock, &now);
    const std::int64_t left = nanoseconds_of(when) - nanoseconds_of(now);
    return left <= 0 ? 0 : sync::deadline_after(left);
}

inline bool is_known_clock(clockid_t clock) noexcept {
    return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
}

}  // namespace lazult::posix
