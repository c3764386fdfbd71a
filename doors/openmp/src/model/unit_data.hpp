// SPDX-License-Identifier: BSD-3-Clause
// Identifies the running flow: the record that the front end keeps in each of its work units, and
// for flows that are not its units.
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

// Written by the flow itself, and by the thread that prepares its unit.
struct flow_part {
    task* running = nullptr;  // the task region that the flow is in
    thread* here = nullptr;   // the OpenMP thread that it runs on behalf of
    std::uint32_t number = 0;
    std::uint32_t team_size = 1;
};
static_assert(sizeof(flow_part) == sizeof(work_unit::storage));

inline flow_part& part_of(work_unit& u) noexcept {
    return *std::launder(reinterpret_cast<flow_part*>(u.storage));
}

inline bool is_ours(work_unit& u) noexcept {
    // relaxed: others may be setting bits of theirs, in their own units
    return (std::atomic_ref(u.header.user_bits).load(std::memory_order_relaxed) & omp_unit) != 0;
}

// Of a unit that was prepared: its memory may have been another flow's.
inline void begin_part(work_unit& u, const flow_part& first) noexcept {
    probe::acquire(&u);  // pairs with: end_flow()
    new (u.storage) flow_part(first);
}

// The caller's, or nullptr where it is none of the door's units.
LAZULT_ALWAYS_INLINE flow_part* part_of_unit() noexcept {
    const worker* w = core::this_worker_or_null();
    work_unit* u = w == nullptr ? nullptr : w->current;
    if (u != nullptr && is_ours(*u)) LAZULT_LIKELY {
        flow_part* const mine = &part_of(*u);
        if (mine == nullptr) {
            __builtin_unreachable();  // which the compiler does not see
        }
        return mine;
    }
    return nullptr;
}

}  // namespace lazult::omp
