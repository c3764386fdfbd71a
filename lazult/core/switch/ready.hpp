// SPDX-License-Identifier: BSD-3-Clause
// Makes units ready: they go to their home pools, or into the lane of the caller's stream.
#pragma once

#include "lazult/core/worker/steal_lane.hpp"
#include "lazult/core/worker/worker.hpp"

namespace lazult::core {

// Makes a suspended unit available to the consumers of its home pool. Any OS thread.
void make_ready(worker* w, work_unit* u) noexcept;
// As make_ready(), but the unit goes behind all others, also in a pool from which the last unit in
// is the first one out. For a unit that joins one unit after another, and the like.
void make_ready_last(worker* w, work_unit* u) noexcept;

// As make_ready(), but the unit goes before others if its pool allows it, because others wait for
// it.
void make_ready_soon(worker* w, work_unit* u) noexcept;
// As make_ready(), for a unit that shares data with its waker: it runs on the stream of `w` if its
// pool allows it.
void make_ready_beside(worker* w, work_unit* u) noexcept;

// Whether a unit may go into the lane of the caller's stream. That is there as long as the stream
// is: so nobody needs to know of the push.
LAZULT_ALWAYS_INLINE bool may_push_in_lane(const worker* w, const work_unit* u) noexcept {
    return w != nullptr && w->lane != nullptr && w->lane->is_open_for(u->home) &&
           w->lane->has_room();
}

// For park(), when the unit's context is saved, or as its last step before it leaves. The argument
// is the unit: it becomes ready if it was unparked meanwhile.
void commit_park(void* self) noexcept;

}  // namespace lazult::core
