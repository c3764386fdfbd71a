// SPDX-License-Identifier: BSD-3-Clause
// The general way to suspend: the unit is made known to other threads after the switch.
#pragma once

#include <utility>

#include "lazult/core/switch/first_suspension.hpp"
#include "lazult/core/switch/host.hpp"

namespace lazult::core {

// State of the running ULT that the OS thread keeps: errno, and the exceptions in flight. A unit
// with exceptions takes them along, so that each unit arrives on a thread without any.
class thread_state {
public:
    thread_state(worker& w, work_unit& self) noexcept : has_exceptions_(w.exceptions->any()) {
        self.error_number = *w.error_number;
        if (has_exceptions_) LAZULT_UNLIKELY {
            exceptions_ = std::exchange(*w.exceptions, exception_state{nullptr, 0});
        }
    }

    void restore(const work_unit& self) const noexcept {
        worker& now = running_worker();
        *now.error_number = self.error_number;
        if (has_exceptions_) LAZULT_UNLIKELY {
            *now.exceptions = exceptions_;
        }
    }

private:
    bool has_exceptions_;
    exception_state exceptions_;
};

// What all suspensions have in common. `leave(host)` is the switch itself. `tell`: see
// note_first_suspension().
template <suspension_reason why, class Leave, class Tell = untold>
LAZULT_ALWAYS_INLINE void give_up(worker& w, work_unit* self, Leave&& leave, Tell tell = {}) {
    if (!self->has(flag_suspended)) {
        note_first_suspension(w, *self, why, tell);
    }
    w.here->settle();
    self->clear(flag_tail_yield);
    const thread_state saved(w, *self);
    w.count.suspensions.increment();
    leave(*w.here);
    probe::acquire(self);
    saved.restore(*self);
}

// Suspends the unit by a switch to `next`, or to the loop if `next` is nullptr. after(argument)
// runs when the unit's context is saved.
template <suspension_reason why, class Tell = untold>
LAZULT_ALWAYS_INLINE void give_up_to(worker& w, work_unit* self, work_unit* next,
                                     entry_function after, void* argument, Tell tell = {}) {
    give_up<why>(w, self, [&](host& h) { h.switch_from(w, self, next, after, argument); }, tell);
}

inline void push_self(void* self) noexcept {
    auto* u = static_cast<work_unit*>(self);
    probe::release(u);
    u->home->push_yielded(this_worker_or_null(), u);
}

}  // namespace lazult::core
