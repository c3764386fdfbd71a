// SPDX-License-Identifier: BSD-3-Clause
#include "sync/deadline.hpp"

#include <algorithm>

#include "lazult/sync/sync.hpp"

namespace lazult::abt {

std::int64_t deadline_of(const timespec& time) noexcept {
    constexpr std::int64_t second = 1'000'000'000;
    constexpr std::int64_t lifetime = std::int64_t{100} * 365 * 24 * 3600;
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    const std::int64_t monotonic = os::now_ns();
    const std::int64_t wanted = time.tv_sec;
    if (wanted < now.tv_sec) {
        return 0;
    }
    if (wanted - now.tv_sec > lifetime) {
        return sync::no_deadline;
    }
    const std::int64_t nanoseconds = std::clamp<std::int64_t>(time.tv_nsec, 0, second - 1);
    const std::int64_t away = (wanted - now.tv_sec) * second + nanoseconds - now.tv_nsec;
    return away <= 0 ? 0 : monotonic + away;
}

bool can_wait_until(std::int64_t deadline) noexcept {
    return deadline <= 0 || sync::can_start_timers();
}

}  // namespace lazult::abt
