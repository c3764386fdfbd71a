// SPDX-License-Identifier: BSD-3-Clause
// Waiting for ends, and freeing: what threads and tasklets share of their ends. There is one way to
// wait, join_unit(), and one to free, free_ult() and free_tasklet(), with short cuts for the
// commonest cases: a unit with a handle that can be called by its joiner, while no tool listens.
#pragma once

#include <bit>

#include "threads/simple_caller.hpp"
#include "units/unit_defaults.hpp"

namespace lazult::abt {

// The short cuts, for join_unit() and its like alone. They return false, and have done nothing,
// where the case is another one.
namespace short_cut {

// Whether it is a unit of this interface with a handle, so that any caller may wait for its end.
LAZULT_ALWAYS_INLINE bool can_be_awaited(const work_unit& u) noexcept {
    constexpr unsigned waited_for = abt_unit | abt_named;
    return (bits_of(u) & (waited_for | abt_primary | abt_main_scheduler)) == waited_for;
}

// Whether a child that is ready in the pool of its joiner may be waited for. While the joiner does
// not come back, the child is what keeps their pool's schedulers from ending.
LAZULT_ALWAYS_INLINE bool may_wait(const work_unit* joiner, const work_unit& child,
                                   const core::pool* pool) noexcept {
    return joiner != nullptr && joiner->home == pool && can_be_awaited(child);
}

// Joins the next unit of the caller's own pool, by a call or by switching to it.
LAZULT_NOINLINE bool join_next(ABT_thread handle);

// Runs a unit to its end that is the next in the caller's own pool, or the newest of its lane: so
// its handle is valid, and needs no other check. A function in which only one
// of the two stands needs fewer registers.
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

// A tasklet that create_tasklet() made, and that still is as it was made: its header says in one
// word what may_wait() asks, and that no tool listens.
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

// In all of these `otherwise` is the code that refuses a handle: INV_THREAD or INV_TASK.

// Whether the unit has ended. It waits out the last steps of an end that can be seen already.
bool has_ended(const work_unit& u) noexcept;

// What join_unit() leaves over. SUCCESS, or otherwise: not a unit to be waited for by this caller.
int join_slowly(ABT_thread handle, int otherwise);
// What free_ult() and free_tasklet() leave over. `null` is what the handle becomes.
LAZULT_NOINLINE int free_slowly(ABT_thread* handle, ABT_thread null, int otherwise,
                                const char* function);
LAZULT_NOINLINE LAZULT_HOT int free_tasklet_elsewhere(ABT_task* handle);

// Waits for its end. If the unit cannot be called here but is the next one in the caller's own
// pool, this child keeps the pool's schedulers from ending meanwhile.
LAZULT_ALWAYS_INLINE int join_unit(ABT_thread handle, int otherwise) {
    if (short_cut::run_in_place(handle) || short_cut::join_next(handle)) LAZULT_LIKELY {
        return ABT_SUCCESS;
    }
    return join_slowly(handle, otherwise);
}

// Waits for its end and frees it, and the handle becomes null.
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

// SUCCESS. Those that are next in line in the order of the list run in place; the rest is waited
// for at once.
int join_many(int count, const ABT_thread* list);
int free_many(int count, ABT_thread* list);

int cancel_thread(ABT_thread handle, int otherwise) noexcept;

}  // namespace lazult::abt
