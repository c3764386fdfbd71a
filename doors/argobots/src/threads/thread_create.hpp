// SPDX-License-Identifier: BSD-3-Clause
// Creation of work units. create_ult() and create_tasklet() are for all cases, and try short cuts
// first. A short cut is for a named unit with default attributes while no tool listens. The unit's
// pool is built in, and is private to the caller's stream or a work-stealing pool of that stream.
#pragma once

#include <bit>

#include "threads/simple_caller.hpp"
#include "units/unit_defaults.hpp"

namespace lazult::abt {

// The short cuts, called only by create_ult(), create_tasklet() and their helpers. A short cut
// returns false, and has done nothing, if its case does not apply. `w` is what simple_caller()
// returned. Each caller tries one short cut only: two in one function would need more registers.
namespace short_cut {

// Finishes a creation in the caller's own pool: writes the handle and launches the unit. Returns
// false if `u` is nullptr, which means that no unit could be prepared.
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

// Creates a ULT in a pool that is private to the caller's stream.
LAZULT_ALWAYS_INLINE bool create_in_own(worker* w, ABT_pool pool, core::entry_function entry,
                                        void* argument, const core::unit_attributes& how,
                                        ABT_thread* made) noexcept {
    core::pool* const home = reinterpret_cast<sched::ready_pool*>(pool);
    return w != nullptr && home != nullptr && home == w->fast_pool &&
           launch_in_own(*home,
                         core::prepare_at_once(*w, *home, entry, argument, how, home->confines(),
                                               core::node_unless(home->confines())),
                         made);
}

LAZULT_ALWAYS_INLINE bool create_tasklet_in_own(ABT_pool pool, core::entry_function entry,
                                                void* argument, ABT_task* made) noexcept {
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

}  // namespace short_cut

// --- parts of a creation

// The arguments of a creation.
struct creation {
    sched::ready_pool& home;
    core::entry_function entry;
    void* argument;
    bool named;
};

// Prepares a ULT and does not launch it. A null `attr` means the defaults. On error it returns the
// code and leaves `made` as it is, nullptr.
int prepare_ult(const creation& wanted, ABT_thread_attr attr, work_unit*& made) noexcept;
// Makes the calling ULT ready and runs `child`, which is not launched yet, in its place.
void give_way_to_child(const caller& me, work_unit* child, push_context how);

// --- creation: each function returns SUCCESS or the code of an error, and writes a handle if
// wanted

int create_ult_in(sched::ready_pool& home, core::entry_function entry, void* argument,
                  ABT_thread_attr attr, ABT_thread* newthread) noexcept;
int create_tasklet_in(sched::ready_pool& home, core::entry_function entry, void* argument,
                      ABT_task* newtask) noexcept;
// The cases of create_ult() and create_tasklet() that their first short cut does not cover.
LAZULT_NOINLINE int create_ult_anywhere(ABT_pool pool, core::entry_function entry, void* argument,
                                        ABT_thread_attr attr, ABT_thread* newthread) noexcept;
LAZULT_NOINLINE LAZULT_HOT int create_ult_elsewhere(ABT_pool pool, core::entry_function entry,
                                                    void* argument, ABT_thread_attr attr,
                                                    ABT_thread* newthread) noexcept;
LAZULT_NOINLINE LAZULT_HOT int create_tasklet_elsewhere(ABT_pool pool, core::entry_function entry,
                                                        void* argument, ABT_task* newtask) noexcept;

LAZULT_ALWAYS_INLINE int create_ult(ABT_pool pool, core::entry_function entry, void* argument,
                                    ABT_thread_attr attr, ABT_thread* newthread) noexcept {
    if (newthread == nullptr || !is_null(attr) || !is_known_null(attr)) LAZULT_UNLIKELY {
        return create_ult_anywhere(pool, entry, argument, attr, newthread);
    }
    if (short_cut::create_in_own(simple_caller(), pool, entry, argument, the_defaults.ult[true],
                                 newthread)) LAZULT_LIKELY {
        return ABT_SUCCESS;
    }
    return create_ult_elsewhere(pool, entry, argument, attr, newthread);
}

LAZULT_ALWAYS_INLINE int create_tasklet(ABT_pool pool, core::entry_function entry, void* argument,
                                        ABT_task* newtask) noexcept {
    if (newtask != nullptr && short_cut::create_tasklet_in_own(pool, entry, argument, newtask))
        LAZULT_LIKELY {
        return ABT_SUCCESS;
    }
    return create_tasklet_elsewhere(pool, entry, argument, newtask);
}

// Creates `count` ULTs. Returns SUCCESS, or the error of the first ULT that could not be created.
// `arguments` and `made` may be null.
int create_many(int count, ABT_pool* pools, void (**functions)(void*), void** arguments,
                ABT_thread_attr attr, ABT_thread* made) noexcept;

}  // namespace lazult::abt
