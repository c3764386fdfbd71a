// SPDX-License-Identifier: BSD-3-Clause
// Task regions: implicit, explicit and initial ones.
//
// An explicit task is a record in its creator's queue. It starts as a call, on the stack of a unit
// of the team that waits for it anyhow, or of one that was made for it. What blocks is that unit,
// with all the tasks on it.
//
// A record lives until its region has ended, its children have, and their records are gone: these
// name it.
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

// A taskgroup region. Its end waits for all tasks that were created in it, and for their
// descendants.
//
// field      written by                    read by            order
// tasks      creators, finishers           taskgroup_end      seq_cst: see parking.hpp
// cancelled  anybody, once                 anybody            relaxed: a hint that gets true
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
    task_untied = 1,  // these two as the interface numbers them
    task_final = 2,
    task_implicit = 4,
    task_ended = 8,      // its region has; children may be left
    task_detached = 16,  // completes when its event is fulfilled too
    task_undeferred = 32,
    // its arguments have destructors, which it runs itself: it is not discarded
    task_constructed = 64,
    task_holds_parent = 128,  // it is counted in its parent's records
};

// Of task::event. Of the task's end and the fulfilment, the later one completes the task, unless it
// was discarded: then it has completed, and the record alone is left.
enum task_event : std::uint32_t {
    event_region_ended = 1,
    event_fulfilled = 2,
    event_of_no_use = 4
};

// field                written by                      read by         order
// created              the task's own unit             the same        none needed
// finished_here        units of `on`, by turns         the same        none needed
// finished_elsewhere   units of other threads          the task's own  seq_cst: see parking.hpp
// event                its unit, and the fulfiller     the later one   acq_rel: bits of task_event
// records              ends of this task and of        the last end    acq_rel
//                      children with kept records
// lowest_child         the task's own thread           the same        none needed
// first_exposed        see exposed_tasks.hpp
// exposed              see exposed_tasks.hpp
// away                 movers of its children          the task's own  relaxed: a hint; a mover
//                                                                      notifies waiters
// is_away              the thread that has it in hand  the same        the queue's
// all others           the creator                     the runner      the queue's
//
// What only few tasks change is as clean() leaves it whenever the record is not in use: so creating
// a task does not write it.
struct alignas(base::cache_line) task {
    task* next = nullptr;
    task* parent = nullptr;
    region_function function = nullptr;
    void* data = nullptr;
    team* its_team = nullptr;
    thread* on = nullptr;  // the OpenMP thread that it runs on; nullptr: it has not started
    taskgroup* group = nullptr;
    std::uint32_t depth = 0;
    std::uint16_t flags = 0;
    bool is_away = false;         // in the deque of a thread that did not create it
    task_cache* owner = nullptr;  // of the record's memory; nullptr: it stands in another object
    // bytes of memory for the arguments, that begins right after the record
    std::uint32_t capacity = 0;
    std::int32_t priority = 0;
    icvs variables;
    dependences* children_by_address = nullptr;
    dependence_node* node = nullptr;  // of a task with depend clauses
    std::uint64_t created = 0;
    std::uint64_t finished_here = 0;
    atomic<std::uint64_t> finished_elsewhere{0};
    atomic<std::uint32_t> event{0};
    atomic<std::uint32_t> records{
        1};  // its own, and children's that are left though their regions have ended
    // at least this is the index of children in its thread's deque
    std::uint64_t lowest_child = no_child;
    atomic<task*> first_exposed{nullptr};  // of its children
    exposed_links<task> exposed;
    atomic<std::uint32_t> away{0};  // children in deques of threads that did not create them

    static constexpr std::uint64_t no_child = UINT64_MAX;
    // A look at many ancestors would make small tasks in deep trees slow.
    static constexpr std::uint32_t most_generations = 64;

    bool has(unsigned bits) const noexcept { return (flags & bits) != 0; }
    void set(unsigned bits) noexcept { flags = static_cast<std::uint16_t>(flags | bits); }
    // False: it never had children, and nothing that only a task with children changes is changed.
    bool has_had_children() const noexcept { return created != 0; }
    // From now on the record is cleaned at the task's end, and not used for the next task before.
    void count_as_parent() noexcept {
        if (created == 0) {
            created = finished_here = 1;
        }
    }
    // Before its memory is kept for another task.
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
    // Whether a child's record points to this one. Once this returns false, no child's record ever
    // will. The order of the two reads matters: a child that keeps its record increments `records`
    // first and counts as finished afterwards.
    bool is_named_by_records() const noexcept {
        // acquire pairs with: drop_records(), fetch_sub
        return has_unfinished_children() || records.load(std::memory_order_acquire) != 1;
    }
    // False, too, if there are too many generations between them.
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
    // That the program has opened around it: those of worksharing constructs only serve reductions.
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
