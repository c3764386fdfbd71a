// SPDX-License-Identifier: BSD-3-Clause
// Suspends the running unit the fast way (leave.hpp) if it may leave so.
#pragma once

#include "lazult/core/switch/honour.hpp"
#include "lazult/core/switch/leave.hpp"
#include "lazult/core/switch/suspend.hpp"

namespace lazult::core {

// Suspends the running unit, by leave_published() or, where the unit may not leave at once, by
// suspend(). Then the unit honours its requests, which may throw exit_unwind. `tell`: see
// note_first_suspension().
template <suspension_reason why, class Publish, class Tell = untold>
void suspend_published(Publish publish, Tell tell = {}) {
    worker& w = this_worker();
    work_unit* const self = w.current;
    if (may_leave_at_once(w, self)) LAZULT_LIKELY {
        leave_published<why>(w, self, w.here->pick(w), publish, tell);
        if (has_requests(*self)) LAZULT_UNLIKELY {
            honour_requests(*self);
        }
        return;
    }
    tell_if_traced(*self, tell);
    late_publication<Publish> mine{publish};
    if constexpr (why == suspension_reason::joins) {
        suspend_in_join(mine.run, &mine);
    } else {
        suspend(mine.run, &mine);
    }
}

}  // namespace lazult::core
