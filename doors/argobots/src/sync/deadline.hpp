// SPDX-License-Identifier: BSD-3-Clause
// Converts times of CLOCK_REALTIME, as C programs pass them, to deadlines of the core.
#pragma once

#include <cstdint>
#include <ctime>

namespace lazult::abt {

inline bool is_valid(const timespec& time) noexcept {
    return time.tv_nsec >= 0 && time.tv_nsec < 1'000'000'000;
}

// Returns the deadline on the clock of os::now_ns(): 0 if the time has passed, no_deadline if it is
// more than a hundred years away. Clamps tv_nsec to its valid range.
std::int64_t deadline_of(const timespec& time) noexcept;

// Returns false if a ULT cannot wait with this deadline, because memory is exhausted and the OS
// thread for timers cannot start.
bool can_wait_until(std::int64_t deadline) noexcept;

}  // namespace lazult::abt
