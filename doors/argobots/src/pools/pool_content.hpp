// SPDX-License-Identifier: BSD-3-Clause
// Queries about any pool.
#pragma once

#include "pools/pool_user.hpp"

namespace lazult::abt {

inline bool is_empty(const sched::ready_pool& p) noexcept {
    return part_of(p).is_users ? !as_user_pool(p).has_units() : p.size() == 0;
}

// Returns true if ABT_pool_get_size works for the pool.
inline bool can_count(const sched::ready_pool& p) noexcept {
    return !part_of(p).is_users || as_user_pool(p).functions().get_size != nullptr;
}

// Returns the number of units in the pool, plus the suspended units that will come back to it.
inline std::size_t total_size(const sched::ready_pool& p) noexcept {
    // may be below 0 if units begin and end to wait meanwhile: see blocked_count::get()
    const int blocked = part_of(p).blocked.get() + p.waiting() + p.lent();
    return p.size() + static_cast<std::size_t>(blocked > 0 ? blocked : 0);
}

// Returns true if ABT_thread_yield_to can take a unit out of the pool: the pool is built in, or its
// old definition has the functions for that.
inline bool can_remove(const core::pool& p) noexcept {
    if (!part_of(p).is_users) {
        return true;
    }
    const ABT_pool_def& old = static_cast<const user_pool&>(p).functions().old;
    return old.u_is_in_pool != nullptr && old.p_remove != nullptr;
}

}  // namespace lazult::abt
