// SPDX-License-Identifier: BSD-3-Clause
// Waiting for units to end. ULTs suspend, outside OS threads sleep on a futex; tasklets may not wait.
#pragma once

#include <cstddef>

#include "lazult/core/finish.hpp"
#include "lazult/core/in_place.hpp"
#include "lazult/core/worker.hpp"

namespace lazult::core {

// join() but for its commonest case.
base::status join_slow(work_unit* u);
// The unit is next in the stream's own queue, and not to be called on the joiner's stack.
base::status join_next(worker& w, work_unit* joiner, work_unit* u);

// Waits until the unit has finished. A joiner whose child has not started, and is next in line, runs it in
// place. Errors: freed_handle, would_deadlock (oneself), cannot_suspend (in a tasklet), already_joined.
LAZULT_ALWAYS_INLINE base::status join(work_unit* u) {
    worker* w = this_worker_or_null();
    if (u == nullptr || !u->home->is_next_here(w, u)) LAZULT_UNLIKELY {
        return join_slow(u);
    }
    work_unit* joiner = w->current;
    if (joiner == nullptr || joiner->has(flag_tasklet) || !is_calm(*w, *u)) LAZULT_UNLIKELY {
        return join_slow(u);
    }
    if (!has_room(*joiner, *u)) LAZULT_UNLIKELY {
        return join_next(*w, joiner, u);
    }
    u->home->drop_next_here();
    call_here(*w, joiner, u);
    return base::status::ok;
}

// Waits for all. A ULT switches at most N + 1 times. Errors as for join, of the first unit that has one.
base::status join_many(work_unit* const* units, std::size_t count);

// Nobody will join the unit: it is freed at its end, or now if it has ended.
base::status detach(work_unit* u) noexcept;

}  // namespace lazult::core
