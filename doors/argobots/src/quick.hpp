// SPDX-License-Identifier: BSD-3-Clause
// The commonest creations and ends, each inlined whole into its function of the interface: the unit has a handle, nobody
// asked for anything, its pool is built in and private to the caller's stream or stealable from it, and no tool listens. What
// is not so, they leave to the general functions, and have done nothing.
#pragma once

#include "door.hpp"
#include "tool.hpp"

namespace lazult::abt::quick {

// Nothing but the pool of the caller is looked at: a handle of that is valid. No call is made.
LAZULT_ALWAYS_INLINE worker* simple_caller() noexcept {
    worker* const w = core::this_worker_or_null();
    return probe::tsan || w == nullptr || tools_are_on() ? nullptr : w;
}

LAZULT_ALWAYS_INLINE work_unit* create_in_own(worker& w, core::pool& home, core::entry_function entry,
                                              void* argument, const core::unit_attributes& how,
                                              work_unit** made) noexcept {
    const bool confines = home.confines();
    work_unit* const u = core::prepare_at_once(w, home, entry, argument, how, !confines);
    if (u != nullptr) LAZULT_LIKELY {
        new (u->storage) thread_part;
        *made = u;
        core::launch_here(u, home, confines);
    }
    return u;
}

LAZULT_ALWAYS_INLINE work_unit* create_in_lane(worker& w, core::pool& home, core::entry_function entry,
                                               void* argument, const core::unit_attributes& how,
                                               work_unit** made) noexcept {
    if (w.lane == nullptr || !w.lane->is_open_for(&home) || !w.lane->has_room()) {
        return nullptr;
    }
    work_unit* const u = core::prepare_at_once(w, home, entry, argument, how, true);
    if (u != nullptr) LAZULT_LIKELY {
        new (u->storage) thread_part;
        *made = u;
        probe::release(u);
        w.lane->push_into_room(u);
    }
    return u;
}

// Creates and launches a unit. False, and nothing done: not so simple.
LAZULT_ALWAYS_INLINE bool create(ABT_pool pool, core::entry_function entry, void* argument,
                                 const core::unit_attributes& how, ABT_thread* made) noexcept {
    worker* const w = simple_caller();
    core::pool* const home = reinterpret_cast<sched::ready_pool*>(pool);
    if (w == nullptr || home == nullptr) LAZULT_UNLIKELY {
        return false;
    }
    auto** const unit = reinterpret_cast<work_unit**>(made);
    return home == w->fast_pool ? create_in_own(*w, *home, entry, argument, how, unit) != nullptr
                                : create_in_lane(*w, *home, entry, argument, how, unit) != nullptr;
}

// Whether a child that is ready in the pool of its joiner may be waited for. While the joiner does not come back, the child is
// what keeps their pool's schedulers from ending.
LAZULT_ALWAYS_INLINE bool may_wait(const work_unit* joiner, const work_unit& child,
                                   const core::pool* pool) noexcept {
    constexpr unsigned waited_for = abt_unit | abt_named;
    return joiner != nullptr && joiner->home == pool &&
           (bits_of(child) & (waited_for | abt_primary | abt_main_scheduler)) == waited_for;
}

// By switching to it. False: not so simple.
LAZULT_NOINLINE bool join_next(ABT_thread handle);

// Runs a unit to its end that is the next in the caller's own pool, or the newest of its lane: so its handle is valid, and
// needs no other check. False: not so simple.
LAZULT_ALWAYS_INLINE bool run_in_place(ABT_thread handle) {
    worker* const w = simple_caller();
    auto* const child = reinterpret_cast<work_unit*>(handle);
    if (w == nullptr || child == nullptr) LAZULT_UNLIKELY {
        return false;
    }
    core::pool* const own = w->fast_pool;
    if (own != nullptr && own->is_next(child)) {
        return may_wait(w->current, *child, own) && core::run_next_in_place(*w, *own, child);
    }
    const core::steal_lane* const lane = w->lane;
    return lane != nullptr && lane->is_newest(child) && !lane->is_asked() &&
           may_wait(w->current, *child, lane->home()) && core::run_newest_in_place(*w, child);
}

// Likewise, or waits for such a one of the caller's own pool that is not to be called here: what keeps the pool's schedulers
// from ending is this child.
LAZULT_ALWAYS_INLINE bool join(ABT_thread handle) { return run_in_place(handle) || join_next(handle); }

// Runs it in place, and frees it.
LAZULT_ALWAYS_INLINE bool run_and_free(ABT_thread handle) {
    if (!run_in_place(handle)) LAZULT_UNLIKELY {
        return false;
    }
    auto* const child = reinterpret_cast<work_unit*>(handle);
    probe::release(child);  // pairs with: prepare_bare()
    core::dispose(core::running_worker(), child);
    return true;
}

}  // namespace lazult::abt::quick
