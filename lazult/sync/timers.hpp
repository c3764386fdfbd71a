// SPDX-License-Identifier: BSD-3-Clause
// Real timers: one OS thread, started by the first timed wait of a ULT, sleeps until the nearest
// deadline and makes ULTs ready. It does not poll, and only a nearer deadline disturbs its sleep.
// OS threads that wait for themselves need no timer: their futex has a deadline.
//
// ULTs that sleep or wait with a deadline must have been joined before the runtime stops: timers
// that fire while it does not run are dropped.
#pragma once

#include "lazult/sync/waiter.hpp"

#include <cstdint>

namespace lazult::sync {

// On the waiting flow's stack, from start_timer() to cancel_timer(). The links form a pairing heap:
// the first child, the next sibling, and the previous sibling or, of a first child, the parent.
//
// field      written by                                  read by             order
// deadline.. the flow, before start_timer()              the timer thread    the service's lock
// links      the holder of the service's lock            the same            the service's lock
// state      the holder of the service's lock            the same            the service's lock
struct timer {
    enum class life : std::uint8_t {
        idle,   // not started, or cancelled
        armed,  // in the heap
        fired,
    };

    std::int64_t deadline_ns = no_deadline;
    core::work_unit* unit = nullptr;
    claim_word<>* claim = nullptr;  // nullptr: firing is the claim
    timer* child = nullptr;
    timer* sibling = nullptr;
    timer* before = nullptr;
    life state = life::idle;
};

// Any flow. The first timer needs an OS thread; false if that cannot be started. start_timer() ends
// the process in that case, so a caller that can refuse asks this function before.
bool can_start_timers() noexcept;
// Any flow. Once it has returned, and for a timer without a claim word even before, the flow may
// have been made ready.
void start_timer(timer& t);
// When it returns, the service does not know the timer any more. True: the timer has not fired.
bool cancel_timer(timer& t) noexcept;

// ULTs suspend, OS threads sleep; cannot_suspend in a tasklet. If the deadline has passed, the call
// is a yield. Without a deadline the caller sleeps until it is cancelled.
// canceled: a cancellation or a stop request ended the sleep before its time.
base::status sleep_until(const wait_limit& until);
base::status sleep_for(std::int64_t duration_ns);

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
