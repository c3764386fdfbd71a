// SPDX-License-Identifier: BSD-3-Clause
// How pools come and go.
#pragma once

#include "pools/pool.hpp"

namespace lazult::abt {

// Numbers pools from 0 on again. By ABT_init.
void reset_pool_ids() noexcept;
int take_pool_id() noexcept;

// SUCCESS; INV_POOL_KIND, INV_POOL_ACCESS, MEM.
int create_pool(ABT_pool_kind kind, ABT_pool_access access, bool automatic,
                sched::ready_pool** made) noexcept;
// A pool of the user's, by a new definition or an old one. SUCCESS; INV_POOL_USER_DEF, MEM, what
// the user's init returned.
int create_users_pool(ABT_pool_user_def def, ABT_pool_config config,
                      sched::ready_pool** made) noexcept;
// Calls the user's free.
void free_pool(sched::ready_pool& p) noexcept;

// A scheduler has the pool from now on. What it no longer has is freed if it is automatic and
// nobody else has it, or if `by_force`.
void retain_pool(sched::ready_pool& p) noexcept;
void release_pool(sched::ready_pool& p, bool by_force) noexcept;

}  // namespace lazult::abt
