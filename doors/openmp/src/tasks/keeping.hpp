// SPDX-License-Identifier: BSD-3-Clause
// When a thread keeps tasks, runs them, and puts them into the queue: see kept_calls.hpp.
#pragma once

#include "tasks/tasking.hpp"

namespace lazult::omp {

// Whether a task of this creator may be kept. The task is to be deferred, and has no clauses but
// for data.
LAZULT_ALWAYS_INLINE bool suits_keeping(const task& creator, std::size_t bytes,
                                        std::size_t alignment) noexcept {
    return bytes <= kept_call::room && alignment <= kept_call::alignment &&
           creator.group == nullptr;
}
// So many tasks must be in the thread's queue, where others can take them, before it keeps any for
// itself.
inline constexpr std::size_t least_for_others = 64;
// A thread keeps tasks only of creators that have at least this nesting depth. In a larger team, a
// creator that works for long, or polls, after it has created tasks is seldom so deep. The kept
// tasks would wait for it. Threads that share an OS thread (team_kind::units) keep none.
inline std::uint32_t keeping_depth(const team& all, const task& implicit) noexcept {
    constexpr std::uint32_t levels = 3;
    if (all.size == 1) {
        return 0;
    }
    return all.kind == team_kind::streams ? implicit.depth + levels : UINT32_MAX;
}
// Whether the queue of the thread holds enough tasks for the other threads.
inline bool has_enough_for_others(const thread& t) noexcept {
    return t.its_team->size == 1 || t.tasks.size_estimate() >= least_for_others;
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
    t.kept.shrink();
}

// The control variables of the calling task, to be changed. Tasks that it creates later get the
// new values. Kept tasks get the old ones here, as they have no copy yet.
icvs& variables_to_change();

}  // namespace lazult::omp
