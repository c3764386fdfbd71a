// SPDX-License-Identifier: BSD-3-Clause
// Records of task regions: of implicit, explicit and initial tasks.
//
// An explicit task is a record in the queue of the thread that created it. It starts as a function
// call, on the stack of a unit that waits for the task anyway, or of a unit made for the task. If
// the task blocks, this unit suspends, with all tasks on its stack.
//
// A record is in use until its region has ended, its children have completed, and the records of
// its children are no longer in use, because these point to it.
#pragma once

#include "door.hpp"
#include "environment/icv.hpp"
#include "model/exposed_tasks.hpp"

namespace lazult::omp {

struct dependences;
struct dependence_node;
struct task;
struct task_cache;
struct team;
struct thread;

// A taskgroup region. taskgroup_finish() waits for all tasks that were created in the region, and
// for their descendants.
//
// field      written by           read by             order
// tasks      creators, finishers  taskgroup_finish()  seq_cst: see parking.hpp
// cancelled  any thread, once     any thread          relaxed: a hint that becomes true
// away       see basic_task_queue.hpp: its tasks in deques of threads that did not create them
// others     see exposed_tasks.hpp
struct taskgroup {
    taskgroup* outer = nullptr;
    std::uintptr_t* reductions = nullptr;
    bool is_workshare = false;
    atomic<bool> cancelled{false};
    atomic<std::uint64_t> tasks{0};
    atomic<task*> first_exposed{nullptr};
    spin_lock exposed_lock;
    atomic<std::uint32_t> away{0};
};

enum task_flag : std::uint16_t {
    task_untied = 1,  // task_untied and task_final: the values that GOMP_task() gets
    task_final = 2,
    task_implicit = 4,
    task_ended = 8,      // its region has ended, but its record is still in use
    task_detached = 16,  // has an event, which must be fulfilled before the task completes
    task_undeferred = 32,
    // Its arguments were made by a copy function of the program. The task always runs, even if it
    // is cancelled, because its own code destroys them.
    task_constructed = 64,
    task_holds_parent = 128,  // it is counted in parent->records
};

// Bits of task::event. The end of the task's region and the fulfilment of its event set a bit each,
// and the later one completes the task. A discarded task has completed before (event_of_no_use);
// then the later one only releases the record.
enum task_event : std::uint32_t {
    event_region_ended = 1,
    event_fulfilled = 2,
    event_of_no_use = 4
};

// field                written by                      read by         order
// created              the task's own unit             the same        none needed
// finished_here        units of `on`, by turns         the same        none needed
// finished_elsewhere   units of other threads          the task's unit seq_cst: see parking.hpp
// event                its unit, and the fulfiller     the later one   acq_rel: bits of task_event
// records              ends of this task and of        the last end    acq_rel
//                      children with kept records
// lowest_child         the task's own thread           the same        none needed
// first_exposed        see exposed_tasks.hpp
// exposed              see exposed_tasks.hpp
// away                 movers of its children          the task's unit relaxed: a hint; a mover
//                                                                      notifies waiters
// is_away              the thread that took the task   the same        the queue's
//                      out of a queue
// all others           the creator                     the runner      the queue's
//
// While a record is not in use, the fields that clean() resets have the values that it stores. So
// creating a task need not write them.
struct alignas(base::cache_line) task {
    task* next = nullptr;
    task* parent = nullptr;
    region_function function = nullptr;
    void* data = nullptr;
    team* its_team = nullptr;
    thread* on = nullptr;  // the OpenMP thread that runs the task; nullptr: it has not started
    taskgroup* group = nullptr;
    std::uint32_t depth = 0;
    std::uint16_t flags = 0;
    bool is_away = false;  // in the deque of a thread that did not create it
    // the cache that the record came from; nullptr: large, or part of another object
    task_cache* owner = nullptr;
    // bytes for arguments, directly behind the record
    std::uint32_t capacity = 0;
    std::int32_t priority = 0;
    icvs variables;
    dependences* children_by_address = nullptr;
    dependence_node* node = nullptr;  // of a task with depend clauses
    std::uint64_t created = 0;
    std::uint64_t finished_here = 0;
    atomic<std::uint64_t> finished_elsewhere{0};
    atomic<std::uint32_t> event{0};
    // 1, plus 1 for each child that has ended but still uses its record
    atomic<std::uint32_t> records{1};
    // a lower bound of the indices that its children have in its thread's deque
    std::uint64_t lowest_child = no_child;
    atomic<task*> first_exposed{nullptr};  // of its children
    exposed_links<task> exposed;
    atomic<std::uint32_t> away{0};  // children in deques of threads that did not create them

    static constexpr std::uint64_t no_child = UINT64_MAX;
    // Limit of nearly_descends_from(), because a longer search would slow small tasks down.
    static constexpr std::uint32_t most_generations = 64;

    bool has(unsigned bits) const noexcept { return (flags & bits) != 0; }
    void set(unsigned bits) noexcept { flags = static_cast<std::uint16_t>(flags | bits); }
    // Returns whether the task ever had children. If not, its record need not be cleaned.
    bool has_had_children() const noexcept { return created != 0; }
    // Makes the task count as one that has had children, so that its record is cleaned before
    // another task uses it.
    void count_as_parent() noexcept {
        if (created == 0) {
            created = finished_here = 1;
        }
    }
    // Resets the fields that children change. Called before the record goes back to a cache.
    void clean() noexcept {
        created = finished_here = 0;
        finished_elsewhere.store(0, std::memory_order_relaxed);
        records.store(1, std::memory_order_relaxed);
        lowest_child = no_child;
    }
    bool has_unfinished_children() const noexcept {
        // pairs with: drop_reference(), fetch_add
        return created - finished_here != finished_elsewhere.load(std::memory_order_seq_cst);
    }
    // Returns whether a child's record may point to this one. Once the function returns false, no
    // child's record ever will. The order of the two reads matters: a child that keeps its record
    // increments `records` first and counts as finished afterwards.
    bool is_named_by_records() const noexcept {
        // acquire pairs with: drop_records(), fetch_sub
        return has_unfinished_children() || records.load(std::memory_order_acquire) != 1;
    }
    // Returns whether this task descends from `ancestor`. Also returns false if more than
    // most_generations lie between the two.
    bool nearly_descends_from(const task& ancestor) const noexcept {
        if (depth > ancestor.depth + most_generations) {
            return false;
        }
        const task* at = this;
        while (at != nullptr && at->depth > ancestor.depth) {
            at = at->parent;
        }
        return at == &ancestor;
    }
    // Returns the innermost taskgroup that the program opened around the task, or nullptr. Skips
    // the groups of worksharing constructs, which the door opens for reductions only.
    taskgroup* innermost_group() const noexcept {
        taskgroup* at = group;
        while (at != nullptr && at->is_workshare) {
            at = at->outer;
        }
        return at;
    }
    std::byte* arguments() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
};

}  // namespace lazult::omp
