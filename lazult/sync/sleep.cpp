// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sync/sleep.hpp"

#include <limits>

#include "lazult/sync/claimed_wait.hpp"

namespace lazult::sync {
namespace {

void begin_sleep(void* t) {
    probe::acquire(t);  // pairs with: suspend_uncanceled()
    core::work_unit* unit = static_cast<timer*>(t)->unit;
    const bool is_guarded = unit->wait.is_guarded();
    start_timer(*static_cast<timer*>(t));
    if (is_guarded) {
        core::settle_listing(unit);
    }
}

void tell_sleep(void* t) noexcept { trace_sleep(static_cast<const timer*>(t)->deadline_ns); }

const core::told_suspension sleep_is_told(begin_sleep, tell_sleep);

// Returns true if the unit slept until the deadline, false if it was cancelled before.
bool sleep_guarded(core::work_unit* self, std::int64_t deadline_ns, core::cancelable how) {
    const core::guarded_wait guard(self, how);
    if (guard.is_asked()) {
        return false;
    }
    timer mine;
    mine.deadline_ns = deadline_ns;
    mine.unit = self;
    suspend_uncanceled(begin_sleep, &mine, self);
    return !guard.was_interrupted() || !cancel_timer(mine);
}

base::status sleep_as_unit(core::work_unit* self, std::int64_t deadline_ns, core::cancelable how) {
    if (!sleep_guarded(self, deadline_ns, how)) {
        return base::status::canceled;
    }
    cancellation_point(self);
    return base::status::ok;
}

// Sleeps until the deadline, a cancellation or the stop request.
base::status sleep_watched(core::work_unit* self, const wait_limit& until) {
    claimed_wait<> wait(self);
    const bool slept = wait.sleep(until) == claim_word<>::timed_out;
    cancellation_point(self);
    return slept ? base::status::ok : base::status::canceled;
}

void sleep_as_thread(std::int64_t deadline_ns) {
    ds::default_atomics::atomic<std::uint32_t> nobody_wakes{0};
    while (os::now_ns() < deadline_ns) {
        ds::default_atomics::futex_wait(nobody_wakes, 0, deadline_ns);
    }
}

}  // namespace

base::status sleep_until(const wait_limit& when) {
    wait_limit until = when;
    if (until.deadline_ns < 0) {
        until.deadline_ns = std::numeric_limits<std::int64_t>::max();
    }
    const caller me = this_caller<>();
    if (!me.may_wait) {
        return base::status::cannot_suspend;
    }
    if (until.deadline_ns <= os::now_ns()) {
        core::yield();
        return base::status::ok;
    }
    if (until.stop != nullptr) {
        return sleep_watched(me.unit, until);
    }
    if (me.unit != nullptr) {
        return sleep_as_unit(me.unit, until.deadline_ns, until.how);
    }
    sleep_as_thread(until.deadline_ns);
    return base::status::ok;
}

base::status sleep_for(std::int64_t duration_ns) {
    return sleep_until(duration_ns <= 0 ? 0 : deadline_after(duration_ns));
}

}  // namespace lazult::sync
