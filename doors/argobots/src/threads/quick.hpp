// SPDX-License-Identifier: BSD-3-Clause
// The commonest creations and ends, each inlined whole into its function of the interface. In these
// cases the unit has a handle and default attributes, its pool is built in and is private to the
// caller's stream or stealable from it, and no tool listens. All other cases are left to the
// general functions: the functions here return then, and have done nothing.
#pragma once

#include <bit>

#include "door.hpp"
#include "threads/thread_create.hpp"
#include "tools/tool.hpp"

namespace lazult::abt::quick {

// Nothing but the pool of the caller is looked at: a handle of that is valid. No call is made.
LAZULT_ALWAYS_INLINE worker* simple_caller() noexcept {
    worker* const w = core::this_worker_or_null();
    return probe::tsan || w == nullptr || tools_are_on() ? nullptr : w;
}

// The rest of a creation in the caller's own pool. False: nothing was prepared.
LAZULT_ALWAYS_INLINE bool launch_in_own(core::pool& home, work_unit* u, ABT_thread* made) noexcept {
    if (u == nullptr) LAZULT_UNLIKELY {
        return false;
    }
    new (u->storage) thread_part;
    *made = to_handle(u);
    core::launch_here_as_prepared(u, home);
    return true;
}

LAZULT_ALWAYS_INLINE work_unit* create_in_lane(worker& w, core::pool& home,
                                               core::entry_function entry, void* argument,
                                               const core::unit_attributes& how,
                                               work_unit** made) noexcept {
    if (w.lane == nullptr || !w.lane->is_open_for(&home) || !w.lane->has_room()) {
        return nullptr;
    }
    work_unit* const u =
        core::prepare_at_once(w, home, entry, argument, how, false, core::node_of_unit::at_once);
    if (u != nullptr) LAZULT_LIKELY {
        new (u->storage) thread_part;
        *made = u;
        probe::release(u);
        w.lane->push_into_room(u);
    }
    return u;
}

// These create and launch a unit; `w` is what simple_caller() returns. They return false, and have
// done nothing, where it is not so simple. A function that called both would pay for the registers
// of both, so each has a function of its own that calls it.
LAZULT_ALWAYS_INLINE bool create(worker* w, ABT_pool pool, core::entry_function entry,
                                 void* argument, const core::unit_attributes& how,
                                 ABT_thread* made) noexcept {
    core::pool* const home = reinterpret_cast<sched::ready_pool*>(pool);
    return w != nullptr && home != nullptr && home == w->fast_pool &&
           launch_in_own(*home,
                         core::prepare_at_once(*w, *home, entry, argument, how, home->confines(),
                                               core::node_unless(home->confines())),
                         made);
}
LAZULT_ALWAYS_INLINE bool create_tasklet(ABT_pool pool, core::entry_function entry, void* argument,
                                         ABT_task* made) noexcept {
    worker* const w = probe::tsan ? nullptr : core::this_worker_or_null();
    core::pool* const home = reinterpret_cast<sched::ready_pool*>(pool);
    const std::uint64_t header = header_of_quick_tasklets.load(std::memory_order_relaxed);
    return w != nullptr && home != nullptr && home == w->fast_pool && header != 0 &&
           launch_in_own(*home,
                         core::prepare_plain_at_once(*w, *home, entry, argument,
                                                     std::bit_cast<core::unit_header>(header),
                                                     home->confines()),
                         made);
}
LAZULT_ALWAYS_INLINE bool create_to_be_stolen(worker* w, ABT_pool pool, core::entry_function entry,
                                              void* argument, const core::unit_attributes& how,
                                              ABT_thread* made) noexcept {
    core::pool* const home = reinterpret_cast<sched::ready_pool*>(pool);
    return w != nullptr && home != nullptr &&
           create_in_lane(*w, *home, entry, argument, how, reinterpret_cast<work_unit**>(made)) !=
               nullptr;
}

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
// Joins the next unit of the caller's own pool, by a call or by switching to it. False: not so
// simple.
LAZULT_NOINLINE bool join_next(ABT_thread handle);
// These call the next unit of the caller's own pool, where the caller is at home in another pool,
// which counts it as blocked meanwhile. They are apart from run_in_place(), which need not look for
// such callers.
LAZULT_NOINLINE bool run_next_beside(ABT_thread handle);
LAZULT_NOINLINE bool run_next_beside_and_free(ABT_thread handle);

// Runs a unit to its end that is the next in the caller's own pool, or the newest of its lane: so
// its handle is valid, and needs no other check. False: not so simple. A function in which only one
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

// The same as run_in_place(). If the unit cannot be called here but is the next one in the caller's
// own pool, waits for it: this child keeps the pool's schedulers from ending meanwhile.
LAZULT_ALWAYS_INLINE bool join(ABT_thread handle) {
    return run_in_place(handle) || join_next(handle);
}

// These run it in place, and free it.
LAZULT_ALWAYS_INLINE bool run_and_free(ABT_thread handle) {
    return run_in_place<core::afterwards::freed>(handle);
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
// Frees a unit that has ended. `w` is what simple_caller() returns. False: it has not, or not so
// simple.
LAZULT_ALWAYS_INLINE bool free_ended(worker* w, ABT_thread handle) noexcept {
    auto* const u = reinterpret_cast<work_unit*>(handle);
    if (w == nullptr || !core::is_descriptor(u) || u->state() != core::life_state::finished ||
        !can_be_awaited(*u) || !u->join.is_finished()) LAZULT_UNLIKELY {
        return false;
    }
    probe::acquire(u);
    probe::release(u);  // pairs with: the thread that prepares it again
    core::dispose(*w, u);
    return true;
}
LAZULT_ALWAYS_INLINE bool run_newest_and_free(ABT_thread handle) {
    return run_newest<core::afterwards::freed>(simple_caller(),
                                               reinterpret_cast<work_unit*>(handle));
}

}  // namespace lazult::abt::quick
