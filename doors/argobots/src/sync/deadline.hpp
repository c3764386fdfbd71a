// SPDX-License-Identifier: BSD-3-Clause
// From a time of CLOCK_REALTIME, as C callers give it, to the core's deadlines.
#pragma once

#include <cstdint>
#include <ctime>

namespace lazult::abt {

inline bool is_valid(const timespec& time) noexcept {
    return time.tv_nsec >= 0 && time.tv_nsec < 1'000'000'000;
}

// In os::now_ns()'s time. 0 when it is over; never when it is more than a lifetime away.
// Nanoseconds out of their range count as the nearest ones within it.
std::int64_t deadline_of(const timespec& time) noexcept;

// Of a ULT's wait: false where there is no memory for the OS thread that watches over deadlines.
bool can_wait_until(std::int64_t deadline) noexcept;

}  // namespace lazult::abt
