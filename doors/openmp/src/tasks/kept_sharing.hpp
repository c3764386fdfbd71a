// SPDX-License-Identifier: BSD-3-Clause
// Puts tasks that a thread keeps into its queue, where all its units find them, and other threads.
#pragma once

#include "model/team.hpp"

namespace lazult::omp {

// So many tasks must be in the thread's queue, where others can take them, before it keeps any for
// itself.
inline constexpr std::size_t least_for_others = 64;
// Whether the queue of the thread holds enough tasks for the other threads.
inline bool has_enough_for_others(const thread& t) noexcept {
    return t.its_team->size == 1 || t.tasks.size_estimate() >= least_for_others;
}
// More tasks wait in a thread's queue than caches hold well. Looked at seldom: thieves write some
// of the words.
inline std::size_t long_queue(const thread& t) noexcept {
    return std::size_t{128} * t.its_team->size;
}
bool is_queue_long(const thread& t) noexcept;

// In a larger team, if nothing is kept. Creators then look at the queue before they keep another
// task.
inline void close_if_empty(thread& t) noexcept {
    if (t.kept.is_empty()) {
        t.kept.close();
    }
}
// Fills the queue up to one and a half times what others need, so that this is seldom done. If
// nothing is kept to fill it, keeping stops until a creator finds enough there.
void share_oldest(thread& t);
// All kept tasks get records and go to the queue, where every unit of the thread finds them.
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

// The control variables of the calling task, to be changed. Tasks that it creates later get the
// new values. Kept tasks get the old ones here, as they have no copy yet.
icvs& variables_to_change();

}  // namespace lazult::omp
