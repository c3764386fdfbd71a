// SPDX-License-Identifier: BSD-3-Clause
// The commonest creations and ends, each inlined whole into its function of the interface: the unit has a handle, nobody
// asked for anything, its pool is built in and private to the caller's stream, and no tool listens. What is not so, they
// leave to the general functions, and have done nothing.
#pragma once

#include "door.hpp"
#include "tool.hpp"

namespace lazult::abt::quick {

// The caller's worker, if the pool is private to it; else nullptr. A pool without an owner is private to nobody, not even to
// a thread without a worker.
LAZULT_ALWAYS_INLINE worker* owner_of(const core::pool* home) noexcept {
    worker* const w = core::this_worker_or_null();
    const bool is_simple =
        !probe::tsan && home != nullptr && w != nullptr && home->is_private_to(w) && !tools_are_on();
    return is_simple ? w : nullptr;
}

// Of a prepared unit, or nullptr. Where other streams may want it one day, it needs what a shared queue asks for.
LAZULT_ALWAYS_INLINE work_unit* make_known(worker& w, work_unit* u, core::pool& home) noexcept {
    if (u == nullptr) LAZULT_UNLIKELY {
        return nullptr;
    }
    if (!home.confines() && u->node == nullptr) LAZULT_UNLIKELY {
        if (!sched::provide_node(*u)) {
            core::dispose(w, u);
            return nullptr;
        }
    }
    new (u->storage) thread_part;
    core::launch_here(u, home, home.confines());
    return u;
}

// Creates and launches a ULT. nullptr: not so simple, or no memory.
LAZULT_ALWAYS_INLINE work_unit* create_ult(core::pool* home, core::entry_function entry, void* argument,
                                           const core::unit_attributes& how) noexcept {
    worker* const w = owner_of(home);
    return w == nullptr ? nullptr : make_known(*w, core::prepare(*w, *home, entry, argument, how), *home);
}

// Likewise a tasklet.
LAZULT_ALWAYS_INLINE work_unit* create_tasklet(core::pool* home, core::entry_function entry, void* argument,
                                               const core::unit_attributes& how) noexcept {
    worker* const w = owner_of(home);
    return w == nullptr
               ? nullptr
               : make_known(*w, core::prepare_plain(*w, *home, entry, argument, how.header()), *home);
}

// A handle of the unit that is next in the caller's own pool is that of a live unit, and needs no other check.
LAZULT_ALWAYS_INLINE bool is_childs_turn(const worker* w, const work_unit* child) noexcept {
    if (w == nullptr || child == nullptr || tools_are_on()) LAZULT_UNLIKELY {
        return false;
    }
    const core::pool* const pool = w->fast_pool;
    const work_unit* const joiner = w->current;
    if (pool == nullptr || joiner == nullptr || !pool->is_next(child)) LAZULT_UNLIKELY {
        return false;
    }
    constexpr unsigned waited_for = abt_unit | abt_named;
    return (bits_of(*child) & (waited_for | abt_primary | abt_main_scheduler)) == waited_for &&
           joiner->home == pool && child->home == pool;
}

// Waits for the unit's end. False: not so simple. While the caller does not come back, the child is what keeps their pool's
// schedulers from ending.
LAZULT_ALWAYS_INLINE bool join(ABT_thread handle) {
    worker* const w = core::this_worker_or_null();
    auto* const child = reinterpret_cast<work_unit*>(handle);
    return is_childs_turn(w, child) && core::join(w, child) == base::status::ok;
}

// Likewise, and frees it.
LAZULT_ALWAYS_INLINE bool join_and_free(ABT_thread handle) {
    if (!join(handle)) LAZULT_UNLIKELY {
        return false;
    }
    auto* const child = reinterpret_cast<work_unit*>(handle);
    probe::release(child);  // pairs with: prepare_bare()
    core::dispose(core::running_worker(), child);
    return true;
}

}  // namespace lazult::abt::quick
