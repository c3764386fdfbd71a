// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/switch/park.hpp"

#include "lazult/core/switch/suspend_published.hpp"

namespace lazult::core {

void park() {
    work_unit* self = this_worker().current;
    if (!self->park.try_consume()) {
        suspend_published<suspension_reason::waits>([self]() noexcept { commit_park(self); },
                                                    trace_park);
    }
    probe::acquire(&self->park);
}

void unpark(work_unit* u) noexcept {
    probe::release(&u->park);
    if (u->park.unpark() && u->wait.resume()) {
        make_ready(this_worker_or_null(), u);
    }
}

}  // namespace lazult::core
