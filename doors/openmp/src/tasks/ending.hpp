// SPDX-License-Identifier: BSD-3-Clause
// Ends tasks: notifies the units that wait for a task, and frees its record. What most tasks need
// is inline.
#pragma once

#include <utility>

#include "model/task_cache.hpp"
#include "model/team.hpp"

namespace lazult::omp {

// Called when the node's task has completed: successors without other predecessors become ready.
// `t` is the calling thread, or nullptr if that is outside the team.
void finish_node(thread* t, dependence_node* node) noexcept;
// Counts, in `finished_elsewhere`, the end of one child, or that the event of a detached task is
// over. If `what` has ended, its record was left to its unfinished children and its event. The last
// of these calls then frees the record. Any other call wakes the unit that waits for the children
// of `what`. `mine` is the calling thread's cache, or nullptr.
void drop_reference(task& what, task_cache* mine) noexcept;

// Counts the end of one child. Wakes a parent that waits for all its children. A parent that waits
// for some of them, by a depend clause, is woken by finish_node().
LAZULT_ALWAYS_INLINE void note_child_end(const thread* t, task& parent) noexcept {
    if (t != nullptr && parent.on == t && !parent.has(task_ended)) LAZULT_LIKELY {
        ++parent.finished_here;
        if (!parent.has_unfinished_children()) {
            wake_all(&parent);
        }
        return;
    }
    drop_reference(parent, t == nullptr ? nullptr : t->cache);
}

inline void leave_group(taskgroup* group) noexcept {
    // pairs with: must_wait(), load
    if (group != nullptr && group->tasks.fetch_sub(1, std::memory_order_seq_cst) == 1) {
        wake_all(group);
    }
}

// Ends the task for all that wait for it, apart from the team: successors, group and parent. `t` is
// nullptr on a thread outside the team.
LAZULT_ALWAYS_INLINE void leave_all(thread* t, task& what) noexcept {
    if (what.node != nullptr) LAZULT_UNLIKELY {
        finish_node(t, std::exchange(what.node, nullptr));
    }
    leave_group(what.group);
    note_child_end(t, *what.parent);
}

// Completes a task. Called by a thread of its team.
LAZULT_ALWAYS_INLINE void complete_here(thread& t, task& what) noexcept {
    leave_all(&t, what);
    if (!what.has(task_undeferred)) {
        t.completed.increment();
        notify_sleepers(*t.its_team);
    }
}

// As end_task(), for a task that has had children or has an event.
void end_task_with_children(thread& t, task& what, bool was_discarded) noexcept;

// Ends a task. Its region has ended on this thread, or the task was discarded.
LAZULT_ALWAYS_INLINE void end_task(thread& t, task& what, bool was_discarded) noexcept {
    if (what.has_had_children() || what.has(task_detached)) LAZULT_UNLIKELY {
        end_task_with_children(t, what, was_discarded);
        return;
    }
    complete_here(t, what);
    task_cache::release(&what, t.cache);
}

// Ends a task that its creator called, and that is counted nowhere. Called by the thread that ran
// the task.
LAZULT_NOINLINE void end_uncounted_partly(thread& t, task& what) noexcept;
LAZULT_ALWAYS_INLINE void end_uncounted(thread& t, task& what) noexcept {
    if (!what.has_had_children()) LAZULT_LIKELY {
        t.cache->return_after_call(&what);
    } else {
        end_uncounted_partly(t, what);
    }
}
// Completes a task. Its region has ended, and its event is fulfilled. Any thread may call this.
void complete_detached(task& what) noexcept;
// Releases the record of a discarded task, which has completed before its event was fulfilled.
void forget_discarded(task& what) noexcept;

}  // namespace lazult::omp
