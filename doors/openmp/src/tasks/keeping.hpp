// SPDX-License-Identifier: BSD-3-Clause
// When a team of one thread keeps tasks, runs them, and puts them into the queue: see
// kept_calls.hpp.
#pragma once

#include "tasks/tasking.hpp"

namespace lazult::omp {

// Whether a task of this creator may be kept, in a team of one thread. The task is to be deferred,
// and has no clauses but for data.
LAZULT_ALWAYS_INLINE bool suits_keeping(const task& creator, std::size_t bytes,
                                        std::size_t alignment) noexcept {
    return bytes <= kept_call::room && alignment <= kept_call::alignment && creator.group == nullptr;
}
// By a creator in a team of one thread that found no room: some tasks are run first. False: the
// next task is to go to the queue.
bool make_room_to_keep(thread& t, task& creator);

// All kept tasks get records and go to the queue, where every flow of the thread finds them.
void share_kept(thread& t);
inline void share_kept_if_any(thread& t) {
    if (!t.kept.is_empty()) LAZULT_UNLIKELY {
        share_kept(t);
    }
}
// At the end of a task that has had children: what it has left.
inline void share_rest_of(thread& t, const task& ended) {
    if (!t.kept.is_empty() && ended.has_unfinished_children()) LAZULT_UNLIKELY {
        share_kept(t);
    }
}

// On top of the task that waits for them.
void run_kept_children(thread& t, task& self);
// At a barrier, or where the region ends: runs the implicit task's children. Nothing is kept
// afterwards.
void run_kept_rest(thread& t);
inline void settle_kept(thread& t) {
    if (!t.kept.is_empty()) {
        run_kept_rest(t);
    }
}

// The control variables of the calling task, to be changed. Tasks that it creates later get the
// new values. Kept tasks get the old ones here, as they have no copy yet.
icvs& variables_to_change();

}  // namespace lazult::omp
