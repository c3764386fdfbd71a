// SPDX-License-Identifier: BSD-3-Clause
// Waits that can be ended from outside: by lazult::cancel(), or by a stop request. See
// wait_word.hpp for the protocol.
//
//     guarded_wait guard(self, cancelable::yes);
//     if (guard.is_asked()) return base::status::canceled;      // nothing was listed
//     suspend: its `after` lists the record, and calls settle_listing() last
//     if (guard.was_interrupted()) ...                          // take the record back, or
//                                                               await_waker()
//
// field   written by                     read by                 order
// asked   cancel_waits; the unit clears  the unit, in is_asked() relaxed. begin() and
//                                                                cancel_waits() pass a barrier
//                                                                between their store and their
//                                                                load, so that one of them sees the
//                                                                other
#pragma once

#include "lazult/core/switch/cancellation_mask.hpp"
#include "lazult/core/switch/ready.hpp"
#include "lazult/core/switch/requests.hpp"

namespace lazult::core {

// Whether cancel_waits() ends a wait. `no` is for APIs that cancel at scheduling points only.
enum class cancelable : bool { no, yes };

// Cancels the unit, as cancel() does, and ends its present cancelable wait, or the next one. If the
// unit has called a child in place, the request is passed on to the child, because the unit cannot
// leave its join before the child has ended.
base::status cancel_waits(work_unit& u) noexcept;

// Called by the publisher as its last step, after it has listed the record of a guarded wait. If a
// waker or an interrupter came first, makes the unit ready.
inline void settle_listing(work_unit* unit) noexcept {
    if (!unit->wait.commit()) {
        make_ready(this_worker_or_null(), unit);
    }
}

// Guards one wait of the running unit, from before the suspension until no other thread uses the
// unit's record. The first constructor guards nothing if `how` is no, or if `self` is null, is a
// scheduler, or may not be unwound.
class guarded_wait {
public:
    guarded_wait(work_unit* self, cancelable how) noexcept {
        if (how == cancelable::yes && self != nullptr && !self->has(flag_host) &&
            may_unwind(*self)) {
            begin(*self);
        }
    }
    // For a wait that a stop request ends (interrupt()), whether or not the unit may be unwound.
    explicit guarded_wait(work_unit& self) noexcept : may_unwind_(may_unwind(self)) { begin(self); }
    ~guarded_wait() {
        if (self_ != nullptr) {
            end();
        }
    }
    guarded_wait(const guarded_wait&) = delete;
    guarded_wait& operator=(const guarded_wait&) = delete;

    explicit operator bool() const noexcept { return self_ != nullptr; }
    // Returns whether the request came before the wait. Then the wait must not begin.
    bool is_asked() const noexcept {
        return self_ != nullptr && may_unwind_ && self_->asked.load(std::memory_order_relaxed) != 0;
    }
    // Called after the suspension. The record may still be listed then.
    bool was_interrupted() const noexcept {
        return self_ != nullptr && self_->wait.was_interrupted();
    }
    // Ends the wait. Any thread may call it while this object lives.
    void interrupt() noexcept;
    // Called after an interruption if a waker has taken the record. Waits until the waker is done
    // with it.
    void await_waker() const noexcept;

private:
    // Returns whether the join word of `u` names a unit. That unit is a joiner. It runs `u` in
    // place, by a call or a switch, or joins it in a wait that cannot be cancelled. Any other
    // joiner is named by its record.
    static bool has_caller(const work_unit& u) noexcept {
        return join_word<>::is_unit(u.join.joiner());
    }
    LAZULT_ALWAYS_INLINE void begin(work_unit& self) noexcept {
        self_ = &self;
        if (has_caller(self)) LAZULT_UNLIKELY {
            begin_under_callers();
        } else {
            before_ = self.wait.begin();
        }
    }
    LAZULT_ALWAYS_INLINE void end() noexcept {
        self_->wait.end(before_);
        if (has_lenders_) LAZULT_UNLIKELY {
            leave_lenders();
        }
    }
    void begin_under_callers() noexcept;
    void leave_lenders() const noexcept;

    work_unit* self_ = nullptr;
    wait_word<>::state before_ = wait_word<>::open;
    bool may_unwind_ = true;
    bool has_lenders_ = false;
};

// park(), which the guard may end: then it returns false. A token that came is not lost.
bool park(const guarded_wait& guard);

}  // namespace lazult::core
