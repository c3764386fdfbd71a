// SPDX-License-Identifier: BSD-3-Clause
// Converts std::chrono's times to the runtime's deadlines. Not for direct use.
#pragma once

#include <lazult/export.hpp>

#include <chrono>
#include <cstdint>

namespace lazult::detail {

// Deadlines are nanoseconds of std::chrono::steady_clock; a negative one never comes.
inline constexpr std::int64_t no_deadline = -1;

// Returns the deadline `span` from now. Rounds up, so that no wait ends early; a time that is too
// far for 64 bits becomes no_deadline.
template <class Rep, class Period>
std::int64_t deadline_after(std::chrono::duration<Rep, Period> span) noexcept {
    using namespace std::chrono;
    const auto now = steady_clock::now().time_since_epoch();
    if (span <= span.zero()) {
        return now.count();
    }
    if (duration<double>(span) >= duration<double>(nanoseconds::max() - now)) {
        return no_deadline;
    }
    return (now + ceil<nanoseconds>(span)).count();
}

template <class Clock, class Duration>
std::int64_t deadline_at(std::chrono::time_point<Clock, Duration> when) noexcept {
    return deadline_after(when - Clock::now());
}

}  // namespace lazult::detail
