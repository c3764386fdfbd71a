// SPDX-License-Identifier: BSD-3-Clause
// Ends of tasks: those that wait for a task hear of it, and its record goes. What most tasks need
// is inline.
#pragma once

#include <utility>

#include "model/dependences.hpp"
#include "model/task_cache.hpp"
#include "model/team.hpp"
#include "waiting/parking.hpp"

namespace lazult::omp {

// What the node stands for has completed: its successors may start. `t` is nullptr on threads
// outside the team.
void finish_node(thread* t, dependence_node* node) noexcept;
// One of those is gone for which the record has been left. `mine` is the calling thread's, or
// nullptr.
void drop_reference(task& what, task_cache* mine) noexcept;

// Wakes a parent that waits for all its children. If it waits for fewer, because of a depend
// clause, finish_node() wakes it.
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

// What others wait for it in, but the team. `t` is nullptr on threads outside that.
LAZULT_ALWAYS_INLINE void leave_all(thread* t, task& what) noexcept {
    if (what.node != nullptr) LAZULT_UNLIKELY {
        finish_node(t, std::exchange(what.node, nullptr));
    }
    leave_group(what.group);
    note_child_end(t, *what.parent);
}

// By a thread of its team.
LAZULT_ALWAYS_INLINE void complete_here(thread& t, task& what) noexcept {
    leave_all(&t, what);
    if (!what.has(task_undeferred)) {
        t.completed.increment();
        notify_sleepers(*t.its_team);
    }
}

// The same for a task that has had children, or has an event.
void end_task_with_children(thread& t, task& what, bool was_discarded) noexcept;

// The region has ended on this thread.
LAZULT_ALWAYS_INLINE void end_task(thread& t, task& what, bool was_discarded) noexcept {
    if (what.has_had_children() || what.has(task_detached)) LAZULT_UNLIKELY {
        end_task_with_children(t, what, was_discarded);
        return;
    }
    complete_here(t, what);
    task_cache::release(&what, t.cache);
}

// By the thread on which it ran: the end of a task that its creator called, and that is counted
// nowhere.
LAZULT_NOINLINE void end_uncounted_partly(thread& t, task& what) noexcept;
LAZULT_ALWAYS_INLINE void end_uncounted(thread& t, task& what) noexcept {
    if (!what.has_had_children()) LAZULT_LIKELY {
        t.cache->return_after_call(&what);
    } else {
        end_uncounted_partly(t, what);
    }
}
// Completes a task when its event is fulfilled. The task's region has ended before. By any thread.
void complete_detached(task& what) noexcept;
// The same for a task that was discarded: it has completed, and only its record is left.
void forget_discarded(task& what) noexcept;

}  // namespace lazult::omp
