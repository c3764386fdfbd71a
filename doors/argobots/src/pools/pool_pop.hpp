// SPDX-License-Identifier: BSD-3-Clause
// Popping units from pools, for schedulers and for clients.
#pragma once

#include "pools/pool_user.hpp"

namespace lazult::abt {

// Pops a ready unit from a built-in pool. Returns nullptr if there is none. The core sometimes
// sends a message to the owner of a private pool. The message is a tasklet of the core, which
// clients must not see.
inline work_unit* pop_builtin(sched::ready_pool& p, worker& w) noexcept {
    for (;;) {
        work_unit* const u = p.pop(w);
        if (u == nullptr) {
            return nullptr;
        }
        if (has_bit(*u, abt_unit)) LAZULT_LIKELY {
            core::open_here(*u);  // the client may run it on any stream, or give it to another pool
            return u;
        }
        core::run_nested(w, u);
    }
}

// Pops a ready unit, or returns nullptr. `context` is a hint to a user's pool.
inline work_unit* pop_from(sched::ready_pool& p, worker& w, ABT_pool_context context) noexcept {
    return part_of(p).is_users ? as_user_pool(p).pop_with(context) : pop_builtin(p, w);
}

}  // namespace lazult::abt
