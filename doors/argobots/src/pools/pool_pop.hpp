// SPDX-License-Identifier: BSD-3-Clause
// Taking units out of pools: by schedulers and by clients.
#pragma once

#include "pools/pool_user.hpp"

namespace lazult::abt {

// The core itself sends a message now and then to the stream that has a private pool: a tasklet of
// its own, which is not for clients.
inline bool is_for_clients(const work_unit& u) noexcept { return has_bit(u, abt_unit); }

// A ready unit of a built-in pool, or nullptr.
inline work_unit* pop_builtin(sched::ready_pool& p, worker& w) noexcept {
    for (;;) {
        work_unit* const u = p.pop(w);
        if (u == nullptr) {
            return nullptr;
        }
        if (is_for_clients(*u)) LAZULT_LIKELY {
            core::open_here(*u);  // the client may run it on any stream, or give it to another pool
            return u;
        }
        core::run_nested(w, u);
    }
}

// A ready unit, or nullptr. The context is a hint.
inline work_unit* pop_from(sched::ready_pool& p, worker& w, ABT_pool_context context) noexcept {
    return part_of(p).is_users ? as_user_pool(p).pop_with(context) : pop_builtin(p, w);
}

}  // namespace lazult::abt
