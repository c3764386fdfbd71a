// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/switch/ready.hpp"

#include "lazult/core/observe/observer.hpp"

namespace lazult::core {

namespace {

LAZULT_ALWAYS_INLINE void become_ready_unobserved(work_unit* u) noexcept {
    u->set_state(life_state::ready);
    probe::release(u);
}

void become_ready(work_unit* u) noexcept {
    if (is_observed_unit(*u)) LAZULT_UNLIKELY {
        tell_resumption(*u);
    }
    become_ready_unobserved(u);
}

LAZULT_NOINLINE void make_ready_at_home(worker* w, work_unit* u) noexcept {
    become_ready(u);
    u->home->push(w, u);
}

}  // namespace

// The two most frequent ways through this function make no call, so it has no frame.
void make_ready(worker* w, work_unit* u) noexcept {
    if (!is_observed_unit(*u)) LAZULT_LIKELY {
        if (w != nullptr && u->home->is_private_to(w)) {
            become_ready_unobserved(u);
            u->home->push_local(u);
            return;
        }
        if (may_push_in_lane(w, u)) LAZULT_LIKELY {
            become_ready_unobserved(u);
            w->lane->push_into_room(u);
            return;
        }
    }
    make_ready_at_home(w, u);
}

void make_ready_last(worker* w, work_unit* u) noexcept {
    become_ready(u);
    u->home->push_yielded(w, u);
}

void make_ready_quietly(worker* w, work_unit* u) noexcept {
    become_ready(u);
    u->home->push_quietly(w, u);
}

void make_ready_beside(worker* w, work_unit* u) noexcept {
    become_ready(u);
    if (may_push_in_lane(w, u)) LAZULT_LIKELY {
        w->lane->push_into_room(u);
    } else {
        u->home->push_beside(w, u);
    }
}

void make_ready_soon(worker* w, work_unit* u) noexcept {
    become_ready(u);
    if (may_push_in_lane(w, u)) LAZULT_LIKELY {
        w->lane->push_into_room(u);
    } else {
        u->home->push_soon(w, u);
    }
}

void commit_park(void* self) noexcept {
    auto* u = static_cast<work_unit*>(self);
    if (!u->park.commit()) {
        make_ready(this_worker_or_null(), u);
    }
}

}  // namespace lazult::core
