// SPDX-License-Identifier: BSD-3-Clause
// Creating and freeing pools.
#pragma once

#include "pools/pool.hpp"

#include <optional>

namespace lazult::abt {

// Makes the next pool's id 0. ABT_init calls it.
void reset_pool_ids() noexcept;
int take_pool_id() noexcept;

struct pool_plan {
    ABT_pool_kind kind;
    ABT_pool_access access;
    bool is_automatic;
    // Whether ULTs stay where they began; without it LAZULT_STARTED says so.
    std::optional<base::started_kind> started = {};
    bool is_default = false;  // made for a scheduler that was given no pool
};
// Returns SUCCESS, INV_POOL_KIND (also: ULTs of this kind cannot stay), INV_POOL_ACCESS or MEM.
int create_pool(const pool_plan& plan, sched::ready_pool** made) noexcept;
// Creates a user's pool from a new or an old definition. Returns SUCCESS, INV_POOL_USER_DEF, MEM,
// or the code that the user's init returned.
int create_users_pool(ABT_pool_user_def def, ABT_pool_config config,
                      sched::ready_pool** made) noexcept;
// Frees the pool. A user's pool calls the user's free.
void free_pool(sched::ready_pool& p) noexcept;

// retain_pool() notes that one more scheduler has the pool, release_pool() that one fewer has it.
// release_pool() frees the pool if it is automatic and no scheduler is left, or if `by_force`.
void retain_pool(sched::ready_pool& p) noexcept;
void release_pool(sched::ready_pool& p, bool by_force) noexcept;

}  // namespace lazult::abt
