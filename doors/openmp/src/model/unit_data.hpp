// SPDX-License-Identifier: BSD-3-Clause
// The record that the door keeps for each unit. In the whole door, a unit is what runs code of an
// OpenMP thread: a work unit that the door made, an OS thread, or a ULT of another door.
#pragma once

#include <atomic>
#include <new>

#include "door.hpp"

namespace lazult::omp {

struct task;
struct thread;
struct team;

// Of work_unit::header.user_bits: the kind of the door's units. Registered in unit_data.cpp.
inline constexpr std::uint16_t omp_unit = 0x1000;

// Written by the unit itself, and before that by the thread that prepares the unit.
struct unit_data {
    task* running = nullptr;  // the task region that the unit is in
    thread* here = nullptr;   // the OpenMP thread that the unit runs code of
    std::uint32_t number = 0;
    std::uint32_t team_size = 1;
};
static_assert(sizeof(unit_data) == sizeof(work_unit::storage));

inline unit_data& data_of(work_unit& u) noexcept {
    return *std::launder(reinterpret_cast<unit_data*>(u.storage));
}

inline bool is_ours(work_unit& u) noexcept {
    // relaxed: if `u` is another door's unit, its door may set other bits at this moment
    return (std::atomic_ref(u.header.user_bits).load(std::memory_order_relaxed) & omp_unit) != 0;
}

// Initialises the record of a unit that core::prepare() returned. ThreadSanitizer must know that an
// earlier unit in the same memory has ended.
inline void begin_data(work_unit& u, const unit_data& first) noexcept {
    probe::acquire(&u);  // pairs with: end_unit()
    new (u.storage) unit_data(first);
}

// Returns the calling unit's record, or nullptr if the caller is none of the door's work units.
LAZULT_ALWAYS_INLINE unit_data* data_of_unit() noexcept {
    const worker* w = core::this_worker_or_null();
    work_unit* u = w == nullptr ? nullptr : w->current;
    if (u != nullptr && is_ours(*u)) LAZULT_LIKELY {
        unit_data* const mine = &data_of(*u);
        if (mine == nullptr) {
            // the compiler cannot deduce that data_of() never returns null
            __builtin_unreachable();
        }
        return mine;
    }
    return nullptr;
}

}  // namespace lazult::omp
