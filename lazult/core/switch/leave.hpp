// SPDX-License-Identifier: BSD-3-Clause
// The fast way to suspend: the unit makes itself known to its wakers while it is still on its own
// stack, and the switch is all that is left to do. So nothing has to run on the next unit's stack,
// and nothing is copied there.
//
// Until the switch has saved the unit, work_unit::context is leaving(). Another stream may take the
// unit before that. It then waits in saved_context() until the switch has written the context. The
// switch does not touch the unit after that store.
//   context                by                            meaning
//   saved  -> leaving      leave_published (the unit)    it may be published from here on
//   leaving -> saved       the switch (arch/)            release: it may run anywhere
// Two streams never wait for each other's units, because a stream first takes its next unit, and
// waits until that unit has left; then it publishes its own. publish() must not wait until another
// stream has taken or run a unit; nor may the functions of users' pools, which it calls. A yield
// publishes its unit before it takes the next one (suspend.cpp, give_way_in_tail_position). It may,
// because only its own thread can take the unit then: thieves look at has_left() first.
#pragma once

#include "lazult/core/switch/first_suspension.hpp"
#include "lazult/core/switch/host.hpp"

namespace lazult::core {

inline constexpr bool publishes_before_leaving =
    arch::switches_in_tail_position && !probe::asan && !probe::tsan;

// The target of the running unit's switch. host::find_target() fills it in, and makes the target's
// unit the worker's current unit before the switch.
struct way_out {
    arch::context to = nullptr;
    const arch::entry_record* fresh = nullptr;
};

LAZULT_COLD void leave_by_loop(worker& w, work_unit* self, work_unit* next, entry_function after,
                               void* argument);

// Returns whether the running unit may suspend by leave_published(): it is no scheduler's own code,
// and has no exceptions in flight.
LAZULT_ALWAYS_INLINE bool may_leave_at_once(const worker& w, const work_unit* self) noexcept {
    return publishes_before_leaving && !w.exceptions->any() && w.here->self_unit() != self;
}

// A publish() that runs after the switch, on another stack. It is copied there first, because the
// unit's frame may be gone when it has published. No order is announced to ThreadSanitizer, so that
// the tool reports races between the unit and the next one.
template <class Publish>
struct late_publication {
    Publish publish;

    static void run(void* argument) noexcept {
        Publish mine = static_cast<late_publication*>(argument)->publish;
        mine();
    }
};

// Suspends the running unit. may_leave_at_once() must have returned true. `next` runs then; mostly
// host::pick() has chosen it. publish() makes the unit known to its wakers, or ready, and must not
// throw. The caller looks at the unit's requests afterwards. `tell`: see note_first_suspension().
template <suspension_reason why, class Publish, class Tell = untold>
LAZULT_ALWAYS_INLINE void leave_published(worker& w, work_unit* self, work_unit* next,
                                          Publish publish, Tell tell = {}) {
    // The creator of a child-first unit stays ready. If it were blocked, another thread could claim
    // it and resume it by its handle.
    self->set_state(why == suspension_reason::runs_child ? life_state::ready : life_state::blocked);
    constexpr bool joins_on =
        why == suspension_reason::joins || why == suspension_reason::runs_child;
    self->clear(joins_on ? flag_tail_yield : flag_joins_many | flag_tail_yield);
    if (!self->has(flag_suspended)) {
        note_first_suspension(w, *self, why, tell);
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
        late_publication<Publish> mine{publish};
        leave_by_loop(w, self, next, mine.run, &mine);
    }
    // The publish() of another unit may have changed errno since errno was set for this unit.
    *running_worker().error_number = self->error_number;
}

}  // namespace lazult::core
