// SPDX-License-Identifier: BSD-3-Clause
// The fast way to suspend: the unit makes itself known to its wakers while it is still on its own stack, and the switch is all that
// is left to do. So nothing has to run on the next unit's stack, and nothing is copied there.
//
// Between the two the unit has not left: work_unit::context is leaving(). Others may make it ready at once, and whoever takes it
// waits in saved_context() until the switch has written the context, which is the switch's last touch of it.
//   context                by                            meaning
//   saved  -> leaving      leave_published (the unit)      it may be published from here on
//   leaving -> saved       the switch (arch/)            release: it may run anywhere
// Two streams never wait for each other's units. A stream first takes its next unit, and waits until that has left; then it publishes
// its own. publish() must not wait for another stream to run or to take a unit, and so must the functions of users' pools not.
// A yield publishes its unit before it takes the next one (suspend.cpp, give_way_bare). That is right because only the unit's own
// thread can take it then: thieves look at has_left() first.
#pragma once

#include "lazult/core/host.hpp"
#include "lazult/core/suspend.hpp"
#include "lazult/core/trace.hpp"

namespace lazult::core {

inline constexpr bool publishes_before_leaving =
    arch::switches_in_tail_position && !probe::asan && !probe::tsan;

// Where the running unit's switch goes: the worker's current unit by now.
struct way_out {
    arch::context to = nullptr;
    const arch::flow* fresh = nullptr;
};

// For leave_published().
LAZULT_COLD void note_rare_suspension(worker& w, work_unit& self, suspension_reason why);
LAZULT_ALWAYS_INLINE void note_suspension(worker& w, work_unit& self) noexcept {
    self.set(flag_suspended);
    self.header.room_class = unit_header::no_room;
    w.count.promoted[static_cast<int>(self.header.plan)].increment();
}
LAZULT_ALWAYS_INLINE void note_first_suspension(worker& w, work_unit& self, suspension_reason why) {
    const bool is_told = (self.requests.load(std::memory_order_relaxed) & (is_observed | is_sample)) != 0;
    if (is_told || !self.may_suspend()) LAZULT_UNLIKELY {
        note_rare_suspension(w, self, why);
    } else {
        note_suspension(w, self);
    }
}
LAZULT_COLD void leave_by_loop(worker& w, work_unit* self, work_unit* next, entry_function after,
                               void* argument);

// Whether the running unit may leave so: it is no scheduler's own code, and takes no exceptions in flight along.
LAZULT_ALWAYS_INLINE bool may_leave_at_once(const worker& w, const work_unit* self) noexcept {
    return publishes_before_leaving && !w.exceptions->any() && w.here->self_unit() != self;
}

// After may_leave_at_once(). `next` is what runs then: what host::pick() said, as a rule. publish(), which must not throw, makes the unit known to its wakers,
// or ready. It is copied where it has to run on another stack. The caller looks at the unit's requests afterwards.
template <suspension_reason why, class Publish>
LAZULT_ALWAYS_INLINE void leave_published(worker& w, work_unit* self, work_unit* next, Publish publish) {
    self->set_state(life_state::blocked);
    self->clear(why == suspension_reason::joins ? flag_bare : flag_joins_many | flag_bare);
    if (!self->has(flag_suspended)) {
        note_first_suspension(w, *self, why);
    }
    w.here->settle();
    w.count.suspensions.increment();
    self->error_number = *w.error_number;
    way_out way;
    if (host::find_target(w, next, way.to, way.fresh)) LAZULT_LIKELY {
        self->begin_to_leave();
        publish();
        arch::lazult_switch(&self->context, way.to, nullptr, nullptr, way.fresh, next);
    } else {
        struct late {
            Publish publish;
            static void run(void* argument) noexcept {
                Publish mine = static_cast<late*>(argument)->publish;
                mine();
            }
        } mine{publish};
        leave_by_loop(w, self, next, late::run, &mine);
    }
    // What others do as they leave may have changed errno since it was set for this unit.
    *running_worker().error_number = self->error_number;
}

// Likewise in the slower way where that is needed, and it honours the unit's requests: by an exception, maybe.
template <suspension_reason why, class Publish>
void suspend_published(Publish publish) {
    worker& w = this_worker();
    work_unit* const self = w.current;
    if (may_leave_at_once(w, self)) LAZULT_LIKELY {
        leave_published<why>(w, self, w.here->pick(w), publish);
        if (has_requests(*self)) LAZULT_UNLIKELY {
            honour_requests(*self);
        }
        return;
    }
    struct late {
        Publish publish;
        // ThreadSanitizer is told of no order: what runs next may race with this unit.
        static void run(void* argument) noexcept {
            Publish mine = static_cast<late*>(argument)->publish;
            mine();
        }
    } mine{publish};
    if constexpr (why == suspension_reason::joins) {
        suspend_in_join(late::run, &mine);
    } else {
        suspend(late::run, &mine);
    }
}

}  // namespace lazult::core
