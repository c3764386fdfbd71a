// SPDX-License-Identifier: BSD-3-Clause
// When a thread keeps tasks, runs them, and puts them into the queue: see kept_calls.hpp.
#pragma once

#include "model/unit_data.hpp"
#include "tasks/kept_sharing.hpp"

namespace lazult::omp {

// Whether a task of this creator may be kept. The task is to be deferred, and has no clauses but
// for data.
LAZULT_ALWAYS_INLINE bool suits_keeping(const task& creator, std::size_t bytes,
                                        std::size_t alignment) noexcept {
    return bytes <= kept_call::max_bytes && alignment <= kept_call::alignment &&
           creator.group == nullptr;
}
// Whether a creator should try to keep the next task. While none is kept, it looks at the queue
// once in 16 tasks only: thieves write there.
inline bool may_begin_to_keep(const thread& t, const task& creator) noexcept {
    constexpr std::uint32_t between_looks = 16;
    return creator.depth >= t.least_keeping_depth &&
           (t.its_team->size == 1 || !t.kept.is_empty() ||
            (t.tasks_pushed % between_looks == 0 && has_enough_for_others(t)));
}
// By a creator that found no room: some tasks are run first. False: the next task is to go to the
// queue.
bool prepare_to_keep(thread& t, task& creator);

// On top of the task that waits for them.
void call_kept_children(unit_data& mine);
inline void run_kept_children(unit_data& mine) {
    if (mine.here->kept.has_child_of(*mine.running)) {
        call_kept_children(mine);
    }
}
// At a barrier, or where the region ends: runs the implicit task's children. Nothing is kept
// afterwards.
void run_kept_rest(thread& t);
inline void settle_kept(thread& t) {
    if (!t.kept.is_empty()) {
        run_kept_rest(t);
    }
    t.kept.shrink();
}

}  // namespace lazult::omp
