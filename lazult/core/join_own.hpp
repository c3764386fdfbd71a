// SPDX-License-Identifier: BSD-3-Clause
// The commonest join, in the fewest instructions: of a unit of one's own stream that has not started, and that is the next in line at
// either end of the stream's lane. So threads that are joined in the order of their creation, or in the reverse one, are calls.
#pragma once

#include "lazult/core/in_place.hpp"
#include "lazult/core/steal_lane.hpp"
#include "lazult/core/worker.hpp"

namespace lazult::core {

// Takes the unit out of the lane, unless it stands at neither end, or a thief was faster.
LAZULT_ALWAYS_INLINE bool take_from_either_end(steal_lane& lane, const work_unit* u) noexcept {
    return lane.is_newest(u) ? lane.take_newest() : lane.take_oldest(u);
}

// Whether the unit is ready in the caller's lane, has not started, and may be called on the caller's stack.
LAZULT_ALWAYS_INLINE bool may_call_own(const worker& w, const work_unit* u) noexcept {
    return w.lane != nullptr && w.lane->is_open_for(u->home) && u->state() == life_state::ready &&
           may_call(w, w.current, *u) && has_room(*w.current, *u);
}

// Calls the unit in the caller's place. When it has ended, nobody but the caller may know the unit: the caller is to free it, and no
// state says that the unit has ended. Returns the worker of the caller, who may be on another stream then. nullptr: the unit is as it
// was, and is to be joined as usual.
LAZULT_ALWAYS_INLINE worker* call_own_in_place(worker& w, work_unit* u) {
    work_unit* const joiner = w.current;
    if (!may_call_own(w, u) || !take_from_either_end(*w.lane, u)) LAZULT_UNLIKELY {
        return nullptr;
    }
    if (!claim(w, joiner, u)) LAZULT_UNLIKELY {
        give_back(w, u);
        return nullptr;
    }
    const int error_number = begin_call_here(w, joiner, u);
    run_entry(u);
    if (has_own_words(w)) LAZULT_UNLIKELY {
        arch::lazult_reset_control_words();
    }
    if (u->has(flag_suspended | flag_locals)) LAZULT_UNLIKELY {
        end_in_place_slowly(joiner, u, error_number);
        return this_worker_or_null();
    }
    w.current = joiner;
    *w.error_number = error_number;
    return &w;
}

}  // namespace lazult::core
