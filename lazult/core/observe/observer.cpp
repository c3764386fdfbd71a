// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/observe/observer.hpp"

namespace lazult::core {
namespace {

// Written by observe_units(), read by observer() before each report: release / acquire.
constinit ds::default_atomics::atomic<const unit_observer*> present{nullptr};

const unit_observer* observer() noexcept {
    // pairs with: observe_units(), store of present
    return present.load(std::memory_order_acquire);
}

// Clears the bit. Returns true if it was set: then the caller reports the event. The thread that
// resumes the unit, and later the unit itself, may both call this. The first of them gets true.
bool take(work_unit& u, unit_note bit) noexcept {
    // relaxed: the resumer calls this before it pushes the unit to a pool, and the unit after it
    // was popped. If control is handed to the unit without its pool, only the unit calls this.
    return (u.notes.fetch_and(~static_cast<std::uint32_t>(bit), std::memory_order_relaxed) & bit) !=
           0;
}

}  // namespace

void observe_units(const unit_observer* observer) noexcept {
    present.store(observer, std::memory_order_release);  // pairs with: observer(), load of present
}

LAZULT_COLD void watch(work_unit& u) noexcept {
    if (u.may_suspend() && u.header.plan != technique::full) {
        u.header.plan = technique::lazy_stack;
    }
    u.header.headroom_class = unit_header::no_headroom;
    u.clear(flag_suspended);  // each of its suspensions is noted as if it were the first
    u.notes.fetch_or(is_watched, std::memory_order_relaxed);
}

LAZULT_COLD bool tell_suspension(work_unit& u, suspension_reason why) noexcept {
    const bool is_first = is_traced_unit(u) && trace_suspension(u, why);
    if (!is_watched_unit(u)) {
        return is_first;
    }
    const unit_observer* o = observer();
    if (o != nullptr && u.state() == life_state::blocked) {
        u.notes.fetch_or(awaits_resume | awaits_run, std::memory_order_relaxed);
        o->suspends(&u);
    }
    return false;
}

LAZULT_COLD void tell_resumption(work_unit& u) noexcept {
    const base::errno_guard keeps_errno;  // errno may be that of the next unit already
    if (is_traced_unit(u)) {
        trace_wake(u);
    }
    const unit_observer* o = observer();
    if (take(u, awaits_resume) && o != nullptr) {
        o->resumes(&u);
    }
}

LAZULT_COLD void tell_run(work_unit& u) noexcept {
    const base::errno_guard keeps_errno;
    if (is_traced_unit(u)) {
        trace_resumption(u);
    }
    const unit_observer* o = observer();
    if (take(u, awaits_resume) && o != nullptr) {
        o->resumes(&u);
    }
    if (take(u, awaits_run) && o != nullptr) {
        o->runs(&u);
    }
}

LAZULT_COLD void tell_departure(work_unit& u) noexcept {
    const unit_observer* o = observer();
    if (o != nullptr && o->leaves(&u)) {
        u.notes.fetch_or(awaits_run, std::memory_order_relaxed);
    }
}

LAZULT_COLD void tell_cancellation(work_unit& u) noexcept {
    if (const unit_observer* o = observer(); o != nullptr) {
        o->is_dropped(&u);
    }
}

}  // namespace lazult::core
