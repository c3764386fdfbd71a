// SPDX-License-Identifier: BSD-3-Clause
// The most frequent join, in few instructions. The unit is of the caller's own stream, has not
// started, and is the newest or the oldest in the stream's lane. So threads that are joined in the
// order of their creation, or in the reverse order, are calls.
#pragma once

#include "lazult/core/life/in_place.hpp"
#include "lazult/core/worker/steal_lane.hpp"

namespace lazult::core {

// Takes the unit if it is the newest or the oldest. Returns false if it is neither, or if a thief
// took it.
LAZULT_ALWAYS_INLINE bool take_from_either_end(steal_lane& lane, const work_unit* u) noexcept {
    return lane.is_newest(u) ? lane.take_newest() : lane.take_oldest(u);
}

// Whether the unit is ready in the caller's lane, has not started, and may be called on the
// caller's stack.
LAZULT_ALWAYS_INLINE bool may_call_own(const worker& w, const work_unit* u) noexcept {
    return w.lane != nullptr && w.lane->is_open_for(u->home) && u->state() == life_state::ready &&
           may_call(w, w.current, *u) && has_headroom(*w.current, *u);
}

// Calls the unit in the caller's place. Returns the caller's worker, which may be another one than
// `w`. Returns nullptr if nothing was done: then join as usual. The caller must free the unit
// afterwards, because its state may not say that it has ended.
LAZULT_ALWAYS_INLINE worker* call_own_in_place(worker& w, work_unit* u) {
    work_unit* const joiner = w.current;
    if (!may_call_own(w, u) || !take_from_either_end(*w.lane, u)) LAZULT_UNLIKELY {
        return nullptr;
    }
    if (!claim(w, joiner, u)) LAZULT_UNLIKELY {
        give_back(w, u);
        return nullptr;
    }
    return &call_here<afterwards::left_to_caller>(w, joiner, u);
}

}  // namespace lazult::core
