// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/ending.hpp"

#include "tasks/kept_sharing.hpp"

namespace lazult::omp {
namespace {

// Counts the task in its parent's `records`. Called when the task completes before its record may
// go, because that record points to the parent's.
void hold_parent(task& what) noexcept {
    what.set(task_holds_parent);
    // relaxed: the parent's record stays, as the task is still its child, or was called by it
    what.parent->records.fetch_add(1, std::memory_order_relaxed);
}

// Takes one from the task's `records`. At 0, frees the record, and goes on with its parent's if it
// counts there.
LAZULT_NOINLINE void drop_records(task& what, task_cache* mine) noexcept {
    task* t = &what;
    while (t != nullptr) {
        // acq_rel pairs with: itself: what others did with the record
        const bool is_last = t->records.load(std::memory_order_acquire) == 1 ||
                             t->records.fetch_sub(1, std::memory_order_acq_rel) == 1;
        if (!is_last || t->has(task_implicit)) {
            return;
        }
        task* const parent = t->has(task_holds_parent) ? t->parent : nullptr;
        t->clean();
        task_cache::release(t, mine);
        t = parent;
    }
}

// Drops the record's own count, and frees the record if no child's record points to it.
void free_record(task& what, task_cache* mine) noexcept {
    // acquire pairs with: drop_records(), fetch_sub
    if (what.records.load(std::memory_order_acquire) == 1 &&
        !what.has(task_implicit | task_holds_parent)) LAZULT_LIKELY {
        what.clean();
        task_cache::release(&what, mine);
    } else {
        drop_records(what, mine);
    }
}

// Leaves the record to the children that have not ended, and to the event (`extra` is 1 then). The
// last of these frees the record. Returns false if there is none: then the caller frees the record.
bool leave_record_to(task& what, std::uint64_t extra) noexcept {
    const std::uint64_t left = what.created - what.finished_here + extra;
    // acquire pairs with: drop_reference(), fetch_add
    if (left == what.finished_elsewhere.load(std::memory_order_acquire)) {
        return false;
    }
    what.set(task_ended);
    // acq_rel pairs with: drop_reference(), fetch_add: the one that comes to 0 frees the record
    return what.finished_elsewhere.fetch_sub(left, std::memory_order_acq_rel) != left;
}

// Completes a discarded task with an event. The task has not run, so perhaps no code knows the
// event, and it is never fulfilled.
void end_discarded(thread& t, task& what) noexcept {
    complete_here(t, what);
    // pairs with: omp_fulfill_event(), fetch_or
    const std::uint32_t before =
        what.event.fetch_or(event_region_ended | event_of_no_use, std::memory_order_acq_rel);
    if ((before & event_fulfilled) != 0) {
        drop_reference(what, t.cache);
    }
}

// Ends a task that has unfinished children, records of children, or an event.
void end_task_partly(thread& t, task& what, bool was_discarded) noexcept {
    hold_parent(what);
    if (!what.has(task_detached)) {
        complete_here(t, what);
        if (!leave_record_to(what, 0)) {
            free_record(what, t.cache);
        }
        return;
    }
    leave_record_to(what, 1);
    if (was_discarded) LAZULT_UNLIKELY {
        end_discarded(t, what);
        return;
    }
    // pairs with: omp_fulfill_event(), fetch_or
    if ((what.event.fetch_or(event_region_ended, std::memory_order_acq_rel) & event_fulfilled) !=
        0) {
        complete_here(t, what);
        drop_reference(what, t.cache);
    }
}

// Completes a task, by a thread that need not be in its team.
void complete_outside(task& what) noexcept {
    team& all = *what.its_team;
    const bool is_counted = !what.has(task_undeferred);
    leave_all(nullptr, what);
    if (!is_counted) {
        return;
    }
    // The team may be gone after this, so only addresses are used. pairs with: has_pending_tasks(),
    // and team::news()
    all.fulfilled.fetch_add(1, std::memory_order_seq_cst);
    wake_all(&all.inside);
    wake_all(&all.end);
    wake_all(&all.running);
}

}  // namespace

LAZULT_NOINLINE void finish_node(thread* t, dependence_node* node) noexcept {
    for (dependence_node* each : end_node(*node)) {
        if (task* const what = each->what; take_pending(*each)) {
            what == nullptr ? wake_all(each->waiter) : offer(t, *what);
        }
        release_node(each);
    }
    release_node(node);
}

void drop_reference(task& what, task_cache* mine) noexcept {
    // pairs with: leave_record_to(), and has_unfinished_children()
    if (what.finished_elsewhere.fetch_add(1, std::memory_order_seq_cst) + 1 == 0) {
        free_record(what, mine);
        return;
    }
    wake_all(&what);
}

LAZULT_NOINLINE void end_task_with_children(thread& t, task& what, bool was_discarded) noexcept {
    share_rest_of(t, what);
    if (what.children_by_address != nullptr) {
        forget_dependences(what);
    }
    if (what.is_named_by_records() || what.has(task_detached)) {
        end_task_partly(t, what, was_discarded);
        return;
    }
    complete_here(t, what);
    free_record(what, t.cache);
}

// If records of children are left, they point to this record, and this one to its parent's.
void end_uncounted_partly(thread& t, task& what) noexcept {
    share_rest_of(t, what);
    if (what.children_by_address != nullptr) {
        forget_dependences(what);
    }
    if (what.is_named_by_records()) {
        hold_parent(what);
        what.parent->count_as_parent();
        if (leave_record_to(what, 0)) {
            return;
        }
    }
    free_record(what, t.cache);
}

// The fulfilling thread does not count the task as its own, even if it is in the team.
void complete_detached(task& what) noexcept {
    complete_outside(what);
    drop_reference(what, nullptr);
}

void forget_discarded(task& what) noexcept { drop_reference(what, nullptr); }

}  // namespace lazult::omp
