// SPDX-License-Identifier: BSD-3-Clause
// Joining and freeing of ULTs and tasklets. join_unit(), free_ult() and free_tasklet() are for all
// cases, and try short cuts first. A short cut is for a named unit that its joiner can call, while
// no tool listens.
#pragma once

#include <bit>

#include "threads/simple_caller.hpp"
#include "units/unit_defaults.hpp"

namespace lazult::abt {

// The short cuts, called only by join_unit() and similar functions. A short cut returns false, and
// has done nothing, if its case does not apply.
namespace short_cut {

// Returns true if any caller may wait for the unit: it is a named unit of this interface.
LAZULT_ALWAYS_INLINE bool can_be_awaited(const work_unit& u) noexcept {
    constexpr unsigned waited_for = abt_unit | abt_named;
    return (bits_of(u) & (waited_for | abt_primary | abt_main_scheduler)) == waited_for;
}

// Returns true if the joiner may wait for a child that is ready in `pool`. The joiner's home must
// be that pool: then the child, which is in the pool, keeps the pool's schedulers from ending while
// the joiner waits.
LAZULT_ALWAYS_INLINE bool may_wait(const work_unit* joiner, const work_unit& child,
                                   const core::pool* pool) noexcept {
    return joiner != nullptr && joiner->home == pool && can_be_awaited(child);
}

// Joins the unit if it is the next one in the caller's own pool, by a call or by a switch to it.
// Returns false otherwise.
LAZULT_NOINLINE bool join_next(ABT_thread handle);

// The next three functions run the unit to its end if it is at a certain place in the caller's own
// pool: the next one, the newest of its lane, or the oldest of its lane. A unit found there is
// live, so the handle needs no other check. They are apart, because each alone needs fewer
// registers.
template <core::afterwards what>
LAZULT_ALWAYS_INLINE bool run_next(worker* w, work_unit* child) {
    core::pool* const own = w == nullptr || child == nullptr ? nullptr : w->fast_pool;
    return own != nullptr && own->is_next(child) && may_wait(w->current, *child, own) &&
           core::run_next_in_place<what>(*w, *own, child);
}

template <core::afterwards what>
LAZULT_ALWAYS_INLINE bool run_newest(worker* w, work_unit* child) {
    const core::steal_lane* const lane = w == nullptr || child == nullptr ? nullptr : w->lane;
    return lane != nullptr && lane->is_newest(child) && !lane->is_asked() &&
           may_wait(w->current, *child, lane->home()) && core::run_newest_in_place<what>(*w, child);
}

template <core::afterwards what>
LAZULT_ALWAYS_INLINE bool run_oldest(worker* w, work_unit* child) {
    const core::steal_lane* const lane = w == nullptr || child == nullptr ? nullptr : w->lane;
    return lane != nullptr && lane->is_oldest(child) && !lane->is_asked() &&
           may_wait(w->current, *child, lane->home()) && core::run_oldest_in_place<what>(*w, child);
}

template <core::afterwards what = core::afterwards::kept>
LAZULT_ALWAYS_INLINE bool run_in_place(ABT_thread handle) {
    worker* const w = simple_caller();
    auto* const child = reinterpret_cast<work_unit*>(handle);
    return run_next<what>(w, child) || run_newest<what>(w, child) || run_oldest<what>(w, child);
}

// Runs and frees a tasklet that is still as create_tasklet() made it. One comparison of its header
// checks what can_be_awaited() checks, and that no tool listens.
LAZULT_ALWAYS_INLINE bool run_next_tasklet_and_free(ABT_task handle) {
    worker* const w = probe::tsan ? nullptr : core::this_worker_or_null();
    auto* const child = reinterpret_cast<work_unit*>(handle);
    core::pool* const own = w == nullptr || child == nullptr ? nullptr : w->fast_pool;
    return own != nullptr && own->is_next(child) && w->current != nullptr &&
           w->current->home == own &&
           std::bit_cast<std::uint64_t>(child->header) ==
               header_of_quick_tasklets.load(std::memory_order_relaxed) &&
           core::run_next_in_place<core::afterwards::freed>(*w, *own, child);
}

}  // namespace short_cut

// In all of these, `otherwise` is the code for a bad handle: INV_THREAD or INV_TASK.

// Returns true if the unit has ended. If its end is in progress, waits until the end is complete.
bool has_ended(const work_unit& u) noexcept;

// The cases of join_unit() that no short cut covers. Returns SUCCESS, or `otherwise` if this caller
// may not wait for the unit.
int join_slowly(ABT_thread handle, int otherwise);
// The cases of free_ult() and free_tasklet() that no short cut covers. *handle becomes `null`.
LAZULT_NOINLINE int free_slowly(ABT_thread* handle, ABT_thread null, int otherwise,
                                const char* function);
LAZULT_NOINLINE LAZULT_HOT int free_tasklet_elsewhere(ABT_task* handle);

// Waits for the unit's end. join_next() is for a unit that is next in the caller's own pool and
// cannot be called: no blocked_scope is needed, because the unit itself keeps the pool's schedulers
// from ending.
LAZULT_ALWAYS_INLINE int join_unit(ABT_thread handle, int otherwise) {
    if (short_cut::run_in_place(handle) || short_cut::join_next(handle)) LAZULT_LIKELY {
        return ABT_SUCCESS;
    }
    return join_slowly(handle, otherwise);
}

// Waits for the unit's end, frees it and sets the handle to null.
LAZULT_ALWAYS_INLINE int free_ult(ABT_thread* handle) {
    if (short_cut::run_in_place<core::afterwards::freed>(*handle)) LAZULT_LIKELY {
        *handle = as_null(ABT_THREAD_NULL);
        return ABT_SUCCESS;
    }
    return free_slowly(handle, ABT_THREAD_NULL, ABT_ERR_INV_THREAD, "ABT_thread_free");
}
LAZULT_ALWAYS_INLINE int free_tasklet(ABT_task* handle) {
    if (short_cut::run_next_tasklet_and_free(*handle)) LAZULT_LIKELY {
        *handle = as_null(ABT_TASK_NULL);
        return ABT_SUCCESS;
    }
    return free_tasklet_elsewhere(handle);
}

// Join `count` units; free_many() also frees them. Both return SUCCESS. Units that are next in line
// run in place, in the order of the list. join_many() then waits for all other units together.
int join_many(int count, const ABT_thread* list);
int free_many(int count, ABT_thread* list);

int cancel_thread(ABT_thread handle, int otherwise) noexcept;

}  // namespace lazult::abt
