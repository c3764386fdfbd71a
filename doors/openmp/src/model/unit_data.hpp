// SPDX-License-Identifier: BSD-3-Clause
// What the front end keeps for each of its work units, and for callers that are none of them. In
// all of the door, a unit is what runs on behalf of an OpenMP thread: a work unit of ours, an OS
// thread, or another door's ULT.
#pragma once

#include <atomic>
#include <new>

#include "door.hpp"

namespace lazult::omp {

struct task;
struct thread;
struct team;

// Of work_unit::header.user_bits. The lower bits are other doors'.
inline constexpr std::uint16_t omp_unit = 0x4000;

// Written by the unit itself, and by the thread that prepares its unit.
struct unit_data {
    task* running = nullptr;  // the task region that the unit is in
    thread* here = nullptr;   // the OpenMP thread that it runs on behalf of
    std::uint32_t number = 0;
    std::uint32_t team_size = 1;
};
static_assert(sizeof(unit_data) == sizeof(work_unit::storage));

inline unit_data& data_of(work_unit& u) noexcept {
    return *std::launder(reinterpret_cast<unit_data*>(u.storage));
}

inline bool is_ours(work_unit& u) noexcept {
    // relaxed: others may be setting bits of theirs, in their own units
    return (std::atomic_ref(u.header.user_bits).load(std::memory_order_relaxed) & omp_unit) != 0;
}

// Of a unit that was prepared: its memory may have been another unit's.
inline void begin_data(work_unit& u, const unit_data& first) noexcept {
    probe::acquire(&u);  // pairs with: end_unit()
    new (u.storage) unit_data(first);
}

// The caller's, or nullptr where it is none of the door's units.
LAZULT_ALWAYS_INLINE unit_data* data_of_unit() noexcept {
    const worker* w = core::this_worker_or_null();
    work_unit* u = w == nullptr ? nullptr : w->current;
    if (u != nullptr && is_ours(*u)) LAZULT_LIKELY {
        unit_data* const mine = &data_of(*u);
        if (mine == nullptr) {
            __builtin_unreachable();  // which the compiler does not see
        }
        return mine;
    }
    return nullptr;
}

}  // namespace lazult::omp
