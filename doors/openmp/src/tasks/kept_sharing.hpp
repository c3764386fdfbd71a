// SPDX-License-Identifier: BSD-3-Clause
// Moves kept tasks of a thread to its queue, where its other units and other threads find them.
#pragma once

#include "model/team.hpp"

namespace lazult::omp {

// A thread in a larger team keeps tasks only if its queue holds so many, which others can take.
inline constexpr std::size_t least_for_others = 64;
// Returns whether the queue of the thread holds enough tasks for the other threads.
inline bool has_enough_for_others(const thread& t) noexcept {
    return t.its_team->size == 1 || t.tasks.size_estimate() >= least_for_others;
}
// A queue with more tasks than this is long: caches do not hold it well. Callers compare seldom,
// because thieves write some of the words.
inline std::size_t long_queue(const thread& t) noexcept {
    return std::size_t{128} * t.its_team->size;
}
bool is_queue_long(const thread& t) noexcept;

// Stops keeping if no task is kept, in a larger team. Creators then look at the queue before they
// keep another one.
inline void close_if_empty(thread& t) noexcept {
    if (t.kept.is_empty()) {
        t.kept.close();
    }
}
// Moves the oldest kept tasks to the queue, until it holds half as many again as others need, so
// that this is seldom done. If no kept task is left, keeping stops until the queue holds enough.
void share_oldest(thread& t);
// Moves all kept tasks to the queue.
void share_kept(thread& t);
inline void share_kept_if_any(thread& t) {
    if (!t.kept.is_empty()) LAZULT_UNLIKELY {
        share_kept(t);
    }
}
// Moves all kept tasks to the queue at the end of a task that has unfinished children.
inline void share_rest_of(thread& t, const task& ended) {
    if (!t.kept.is_empty() && ended.has_unfinished_children()) LAZULT_UNLIKELY {
        share_kept(t);
    }
}

// Returns the control variables of the calling task, to be changed. Tasks that it creates later get
// the new values. Kept tasks first get records with the old values.
icvs& variables_to_change();

}  // namespace lazult::omp
