// SPDX-License-Identifier: BSD-3-Clause
// Makes units ready: they go to their home pools, or into the lane of the caller's stream.
#pragma once

#include "lazult/core/worker/steal_lane.hpp"

namespace lazult::core {

// Makes a suspended unit available to the consumers of its home pool. Any OS thread may call it.
void make_ready(worker* w, work_unit* u) noexcept;
// make_ready() that puts the unit behind all others, even if its pool pops the newest unit first.
// For example for a unit that joins one unit after another.
void make_ready_last(worker* w, work_unit* u) noexcept;
// make_ready_last() by a stream that will run the unit itself: wakes no other stream, if the unit
// is at home here. See sched/quiet_work.hpp.
void make_ready_quietly(worker* w, work_unit* u) noexcept;

// make_ready() for a unit that others wait for: it goes before others, if its pool allows that.
void make_ready_soon(worker* w, work_unit* u) noexcept;
// make_ready() for a unit that shares data with its waker: it runs on the stream of `w` if its pool
// allows that.
void make_ready_beside(worker* w, work_unit* u) noexcept;

// Returns whether a unit may be pushed into the lane of the caller's stream. The lane lives as long
// as the stream, so such a push needs no push_guard.
LAZULT_ALWAYS_INLINE bool may_push_in_lane(const worker* w, const work_unit* u) noexcept {
    return w != nullptr && w->lane != nullptr && w->lane->is_open_for(u->home) &&
           w->lane->has_room();
}

// Parks the unit that is the argument, for park(): as the unit's last step before it leaves, or
// when its context is saved. Makes the unit ready if it was unparked meanwhile.
void commit_park(void* self) noexcept;

}  // namespace lazult::core
