// SPDX-License-Identifier: BSD-3-Clause
// Real timers: one OS thread, started by the first timed wait of a ULT, sleeps until the nearest
// deadline and makes ULTs ready. It does not poll, and only a nearer deadline disturbs its sleep.
// OS threads that wait for themselves need no timer: their futex has a deadline.
//
// ULTs that sleep or wait with a deadline must have been joined before the runtime stops: timers
// that fire while it does not run are dropped.
#pragma once

#include "lazult/sync/timer_heap.hpp"

#include <cstdint>

namespace lazult::sync {

// Any caller. The first timer needs an OS thread; false if that cannot be started. start_timer()
// ends the process in that case, so a caller that can refuse asks this function before.
bool can_start_timers() noexcept;
// Any caller. Once it has returned, and for a timer without a claim word even before, the caller
// may have been made ready.
void start_timer(timer& t);
// When it returns, the service does not know the timer any more. True: the timer has not fired.
bool cancel_timer(timer& t) noexcept;

// now + duration, without overflow; no_deadline for a negative duration.
std::int64_t deadline_after(std::int64_t duration_ns) noexcept;

// Whether the timer thread runs, and how often it woke up: for tests, and for `lazult info`.
struct timer_statistics {
    bool running;
    std::uint64_t wakeups;
    std::uint64_t fired;
    std::size_t armed;
};
timer_statistics count_timers() noexcept;

}  // namespace lazult::sync
