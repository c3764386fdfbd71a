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

// Whether cancel_waits() ends a wait. Front ends with an API that cancels at scheduling points only
// say no.
enum class cancelable : bool { no, yes };

// As cancel(); and a wait of the unit that is cancelable ends, the present one or the next. A unit
// that runs others in its place, because it joins them, passes the request on to them: its join
// cannot be left before they have ended.
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
    // Of a wait that a stop request ends, whether or not the unit may be unwound: see interrupt().
    explicit guarded_wait(work_unit& self) noexcept : may_unwind_(may_unwind(self)) { begin(self); }
    ~guarded_wait() {
        if (self_ != nullptr) {
            end();
        }
    }
    guarded_wait(const guarded_wait&) = delete;
    guarded_wait& operator=(const guarded_wait&) = delete;

    explicit operator bool() const noexcept { return self_ != nullptr; }
    // Whether the request came before the wait: then it must not begin.
    bool is_asked() const noexcept {
        return self_ != nullptr && may_unwind_ && self_->asked.load(std::memory_order_relaxed) != 0;
    }
    // After the suspension. The record may still be listed.
    bool was_interrupted() const noexcept {
        return self_ != nullptr && self_->wait.was_interrupted();
    }
    // By any thread, as long as this lives: ends the wait.
    void interrupt() noexcept;
    // After an interruption, where a waker has taken the record: until it does not touch the wait
    // any more.
    void await_waker() const noexcept;

private:
    // Whether another unit runs this one in its place, by a call or by a switch, and waits for its
    // end by nothing but that. Other joiners that can be cancelled stand in the join word as
    // records.
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

// As park(), which the guard ends: then false. A token that came is not lost.
bool park(const guarded_wait& guard);

}  // namespace lazult::core
