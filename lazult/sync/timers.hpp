// SPDX-License-Identifier: BSD-3-Clause
// Timers: one OS thread, started by the first timed wait of a ULT, sleeps until the nearest
// deadline and makes ULTs ready. It does not poll, and only a nearer deadline wakes it earlier. OS
// threads that wait need no timer, because their futex has a deadline.
//
// ULTs that sleep or wait with a deadline must be joined before the runtime stops: timers that fire
// while it does not run are dropped.
#pragma once

#include "lazult/sync/timer_heap.hpp"

#include <cstdint>

namespace lazult::sync {

// Returns whether the timers' OS thread runs, or could be started now. start_timer() ends the
// process if it cannot be started, so a caller that can refuse a wait calls this function first.
bool can_start_timers() noexcept;
// Starts a timer. A timer without a claim word may make its unit ready before start_timer()
// returns. A timer with a claim word does so only after the wait was committed.
void start_timer(timer& t);
// Takes a timer back: afterwards no other thread uses it. Returns true if the timer has not fired.
bool cancel_timer(timer& t) noexcept;

// Returns now + duration, or the last possible time; no_deadline for a negative duration.
std::int64_t deadline_after(std::int64_t duration_ns) noexcept;

// Counts of the timer thread, for tests and for `lazult info`.
struct timer_statistics {
    bool running;
    std::uint64_t wakeups;
    std::uint64_t fired;
    std::size_t armed;
};
timer_statistics count_timers() noexcept;

}  // namespace lazult::sync
