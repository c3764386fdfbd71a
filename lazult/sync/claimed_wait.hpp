// SPDX-License-Identifier: BSD-3-Clause
// One wait that several sources may end: a timed wait, or a wait for several objects.
//
//     claimed_wait<Atomics> wait(unit);
//     waiter<Atomics> me(unit);
//     wait.covers(me);                       // me.claim is this wait's word
//     list `me` under the object's spin bit; from here on it can be claimed
//     switch (wait.sleep(deadline)) ...      // the winner: me.index, or timed_out, or withdrawn
//     if the winner is not me.index: unlink `me` under the spin bit, if it is still listed
//     else: await_release(me)                // the waker may still use `me`
#pragma once

#include "lazult/sync/blocking.hpp"
#include "lazult/sync/timers.hpp"

namespace lazult::sync {

template <class Atomics = ds::default_atomics>
class claimed_wait {
public:
    using word = claim_word<Atomics>;

    explicit claimed_wait(core::work_unit* unit) noexcept : unit_(unit) {}

    void covers(waiter<Atomics>& record) noexcept { record.claim = &claim_; }
    word& claim() noexcept { return claim_; }

    // Waits until a source claims the wait. Returns what claim() stored. All records must be
    // listed.
    std::uint32_t sleep(const wait_limit& limit) {
        if (claim_.winner() < word::first_index) {
            if (limit.stop != nullptr) LAZULT_UNLIKELY {
                limit.stop->begin(this, end_wait);
                sleep_unwatched(limit);
                limit.stop->watch_ended();
            } else {
                sleep_unwatched(limit);
            }
        }
        return claim_.winner();
    }

private:
    void sleep_as_thread(std::int64_t deadline_ns) noexcept {
        if (claim_.commit() && !claim_.sleep(deadline_ns)) {
            claim_.claim(word::timed_out);
        }
    }

    void sleep_unwatched(const wait_limit& limit) {
        if constexpr (has_units<Atomics>) {
            if (unit_ != nullptr) {
                sleep_as_unit(limit);
                return;
            }
        }
        sleep_as_thread(limit.deadline_ns);
    }

    void sleep_as_unit(const wait_limit& limit) {
        const core::guarded_wait guard(unit_, limit.how);
        if (guard.is_asked()) {
            claim_.claim(word::withdrawn);
            return;
        }
        timer until;
        until.deadline_ns = limit.deadline_ns;
        until.unit = unit_;
        until.claim = &claim_;
        if (limit.deadline_ns >= 0) {
            start_timer(until);
        }
        const auto trace = [this, &limit]() noexcept {
            trace_claimed_wait(*unit_, claim_, limit.deadline_ns);
        };
        if (core::worker& w = core::running_worker(); core::may_leave_at_once(w, unit_))
            LAZULT_LIKELY {
            core::leave_published<core::suspension_reason::waits>(
                w, unit_, w.here->pick(w), [this]() noexcept { commit(this); }, trace);
            honour_requests_later(unit_);
        } else {
            suspend_traced(commit, this, unit_, trace);
        }
        if (limit.deadline_ns >= 0) {
            cancel_timer(until);
        }
        // The unit was interrupted, but another source had claimed the wait while the unit slept.
        // The claimer may still touch the wait, because it tries to resume the unit.
        if (guard.was_interrupted() && claim_.claim(word::withdrawn) == word::result::lost &&
            slept_) {
            guard.await_waker();
        }
    }

    // Commits the wait: from here on a claimer must resume the unit. Runs right before the switch,
    // or after it on the stack of the unit that runs next. After the commit this object may be
    // gone, unless the wait is guarded.
    static void commit(void* self) noexcept {
        probe::acquire(self);  // pairs with: suspend_uncanceled()
        auto* mine = static_cast<claimed_wait*>(self);
        core::work_unit* unit = mine->unit_;
        if (unit->wait.is_guarded()) {
            mine->slept_ = mine->claim_.commit();
            probe::release(mine);
            if (mine->slept_) {
                core::settle_listing(unit);
                return;
            }
        } else if (mine->claim_.commit()) {
            return;
        }
        core::make_ready(core::this_worker_or_null(), unit);
    }

    // Called by a stop request: ends the wait.
    static void end_wait(void* self) noexcept {
        auto* mine = static_cast<claimed_wait*>(self);
        if (mine->claim_.claim(word::withdrawn) != word::result::asleep) {
            return;
        }
        if constexpr (has_units<Atomics>) {
            if (mine->unit_ != nullptr) {
                if (mine->unit_->wait.resume()) {
                    core::make_ready(core::this_worker_or_null(), mine->unit_);
                }
                return;
            }
        }
        mine->claim_.wake_thread();
    }

    word claim_;
    core::work_unit* unit_;
    bool slept_ = false;
};

}  // namespace lazult::sync
