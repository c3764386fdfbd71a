// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/switch/interrupt.hpp"

#include "lazult/core/switch/park.hpp"
#include "lazult/core/switch/suspend_published.hpp"
#include "lazult/core/unit/short_spin.hpp"

namespace lazult::core {
namespace {

// Returns the unit that the join word names, or nullptr. See guarded_wait::has_caller().
work_unit* caller_of(const work_unit& u) noexcept {
    const auto word = u.join.joiner();
    return join_word<>::is_unit(word) ? reinterpret_cast<work_unit*>(word) : nullptr;
}

// Called for the unit `waits`, before its begin(). Its lenders are the joiner that caller_of()
// returns, that joiner's own, and so on, as long as their wait words are open. Stores in each
// lender's `next` the child that it called, so that a cancellation of any lender reaches `waits`.
// Returns the outermost lender, or nullptr if there is none.
work_unit* enter_in_lenders(work_unit& waits) noexcept {
    work_unit* child = &waits;
    work_unit* outermost = nullptr;
    for (work_unit* each = caller_of(waits); each != nullptr && each->wait.is_open();
         each = caller_of(*each)) {
        each->next = child;
        each->wait.lend();
        child = outermost = each;
    }
    return outermost;
}

// Returns whether cancellation of a lender of `waits` was requested already. Called after begin(),
// because the barrier in begin() orders these loads, too. If a request is not seen here, its
// interrupter passes its heavy barrier later, and sees the lenders' words as lend() stored them.
bool is_one_asked(const work_unit& waits, const work_unit* outermost) noexcept {
    for (const work_unit* each = &waits; each != outermost;) {
        each = caller_of(*each);
        if (each->asked.load(std::memory_order_relaxed) != 0) {
            return true;
        }
    }
    return false;
}

// Undoes enter_in_lenders() after the wait. Waits for an interrupter that holds a child.
void take_back_lenders(const work_unit& waited) noexcept {
    short_spin spin;
    const work_unit* child = &waited;
    for (work_unit* each = caller_of(waited);
         each != nullptr && each->wait.is_lent() && each->next == child; each = caller_of(*each)) {
        while (!each->wait.take_back()) {
            spin.pause();
        }
        child = each;
    }
}

void ask(work_unit& u) noexcept {
    cancel(u);
    u.asked.store(1, std::memory_order_relaxed);
}

// Ends the unit's own wait.
void interrupt_one(work_unit& u) noexcept {
    if (u.wait.interrupt()) {
        make_ready(this_worker_or_null(), &u);
    }
}

// Precondition: the request to `u` is visible. Ends the wait of `u`. If instead a child waits that
// `u` has called in place, passes the request on to the child and ends the child's wait.
void interrupt(work_unit& u) noexcept {
    if (u.wait.hold_child()) {
        work_unit& child = *u.next;
        ask(child);
        interrupt(child);
        u.wait.let_child_go();
    } else {
        interrupt_one(u);
    }
}

}  // namespace

LAZULT_COLD base::status cancel_waits(work_unit& u) noexcept {
    if (const base::status bad = cancel(u); bad != base::status::ok) {
        return bad;
    }
    u.asked.store(1, std::memory_order_relaxed);
    ds::default_atomics::heavy_barrier();  // pairs with: wait_word.hpp, begin(), light_barrier
    interrupt(u);
    return base::status::ok;
}

LAZULT_NOINLINE void guarded_wait::begin_under_callers() noexcept {
    work_unit* const outermost = enter_in_lenders(*self_);
    before_ = self_->wait.begin();
    has_lenders_ = outermost != nullptr;
    if (has_lenders_ && is_one_asked(*self_, outermost)) {
        ask(*self_);
    }
}

LAZULT_NOINLINE void guarded_wait::leave_lenders() const noexcept { take_back_lenders(*self_); }

void guarded_wait::interrupt() noexcept { interrupt_one(*self_); }

void guarded_wait::await_waker() const noexcept {
    short_spin spin;
    while (!self_->wait.was_passed_by()) {
        spin.pause();
    }
}

bool park(const guarded_wait& guard) {
    work_unit* self = this_worker().current;
    if (!guard || self->park.try_consume()) {
        if (!guard) {
            park();
        }
        probe::acquire(&self->park);
        return true;
    }
    if (guard.is_asked()) {
        return false;
    }
    bool is_parked = false;
    const auto publish = [self, &is_parked]() noexcept {
        const bool must_settle = self->park.commit();
        is_parked = must_settle;
        if (must_settle) {
            settle_listing(self);
        } else {
            make_ready(this_worker_or_null(), self);
        }
    };
    suspend_published<suspension_reason::waits>(publish, trace_park);
    if (guard.was_interrupted() && is_parked) {
        if (self->park.withdraw()) {
            return false;
        }
        guard.await_waker();
    }
    probe::acquire(&self->park);
    return true;
}

}  // namespace lazult::core
