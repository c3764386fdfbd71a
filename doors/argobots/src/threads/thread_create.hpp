// SPDX-License-Identifier: BSD-3-Clause
// Bringing work units into being. There is one way, create_ult() and create_tasklet(), with short
// cuts for the commonest cases. In these the unit has a handle and default attributes, its pool is
// built in and is private to the caller's stream or stealable from it, and no tool listens.
#pragma once

#include <bit>

#include "pools/pool.hpp"
#include "threads/simple_caller.hpp"
#include "units/attributes.hpp"
#include "units/unit_defaults.hpp"

namespace lazult::abt {

// The short cuts, for create_ult() and its like alone. They return false, and have done nothing,
// where the case is another one; `w` is what simple_caller() returns. A function that took both
// would pay for the registers of both, so each has a function of its own that takes it.
namespace short_cut {

// The rest of a creation in the caller's own pool, of which a handle is valid. False: nothing was
// prepared.
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

// What a creation asks for.
struct creation {
    sched::ready_pool& home;
    core::entry_function entry;
    void* argument;
    bool named;
};

// A unit that nobody knows yet. On error the code, and `made` stays nullptr. A null attribute means
// the defaults.
int prepare_ult(const creation& wanted, ABT_thread_attr attr, work_unit*& made) noexcept;
// The calling ULT becomes ready, and a unit that is not launched runs in its place.
void give_way_to_child(const caller& me, work_unit* child, push_context how);

// --- creation: each returns SUCCESS or the code, and writes a handle where one is wanted

int create_ult_in(sched::ready_pool& home, core::entry_function entry, void* argument,
                  ABT_thread_attr attr, ABT_thread* newthread) noexcept;
int create_tasklet_in(sched::ready_pool& home, core::entry_function entry, void* argument,
                      ABT_task* newtask) noexcept;
// What create_ult() and create_tasklet() leave over.
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

// SUCCESS, or the code of the first that could not be created.
// `arguments` may be null, and `made` where no handles are wanted.
int create_many(int count, ABT_pool* pools, void (**functions)(void*), void** arguments,
                ABT_thread_attr attr, ABT_thread* made) noexcept;

}  // namespace lazult::abt
