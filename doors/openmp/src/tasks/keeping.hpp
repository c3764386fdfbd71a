// SPDX-License-Identifier: BSD-3-Clause
// Decides when a thread keeps tasks, and runs kept tasks: see kept_calls.hpp.
#pragma once

#include "model/unit_data.hpp"
#include "tasks/kept_sharing.hpp"

namespace lazult::omp {

// Returns whether a task of this creator may be kept. The task must be deferred, and have clauses
// for data only.
LAZULT_ALWAYS_INLINE bool suits_keeping(const task& creator, std::size_t bytes,
                                        std::size_t alignment) noexcept {
    return bytes <= kept_call::max_bytes && alignment <= kept_call::alignment &&
           creator.group == nullptr;
}
// Returns whether a creator should try to keep the next task. While none is kept, it looks at the
// queue once in 16 tasks only, because thieves write there.
inline bool may_begin_to_keep(const thread& t, const task& creator) noexcept {
    constexpr std::uint32_t between_looks = 16;
    return creator.depth >= t.least_keeping_depth &&
           (t.its_team->size == 1 || !t.kept.is_empty() ||
            (t.tasks_pushed % between_looks == 0 && has_enough_for_others(t)));
}
// Called by a creator that found no room: runs some kept tasks, or moves them to the queue. Returns
// false if the next task must go to the queue.
bool prepare_to_keep(thread& t, task& creator);

// Runs kept tasks on the stack of their parent, which waits for them.
void call_kept_children(unit_data& mine);
inline void run_kept_children(unit_data& mine) {
    if (mine.here->kept.has_child_of(*mine.running)) {
        call_kept_children(mine);
    }
}
// Called at a barrier and at the end of the region: runs the implicit task's kept children. No task
// is kept afterwards.
void run_kept_rest(thread& t);
inline void settle_kept(thread& t) {
    if (!t.kept.is_empty()) {
        run_kept_rest(t);
    }
    t.kept.shrink();
}

}  // namespace lazult::omp
