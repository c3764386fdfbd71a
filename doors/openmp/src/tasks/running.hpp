// SPDX-License-Identifier: BSD-3-Clause
// Runs tasks, on top of the caller or on units of their own.
#pragma once

#include "tasks/ending.hpp"
#include "tasks/kept_sharing.hpp"
#include "threads/scheduler.hpp"

namespace lazult::omp {

inline bool is_discarded(const task& what) noexcept {
    return !what.has(task_constructed) && is_cancelled(what);
}

// Runs a task on the caller's stack, to its end. `mine` is the caller's record.
LAZULT_ALWAYS_INLINE void run_in(unit_data& mine, thread& t, task& what) {
    task* const outer = mine.running;
    what.on = &t;
    mine.running = &what;
    const bool runs = !is_discarded(what);
    if (runs) LAZULT_LIKELY {
        what.function(what.data);
    }
    mine.running = outer;
    end_task(t, what, !runs);
}

// As run_in(), but finds the caller's record itself.
void run_task(thread& t, task& what);
// Runs the task in a unit of its own. The caller gives way to that unit, and goes on when it ends
// or blocks. Without a scheduler, or memory for the unit, the task runs on the caller's stack.
void run_apart(thread& t, task& what);
// Runs a task for a unit that waits: on the unit's stack if the task may be called there and has
// room, otherwise in a unit of its own.
void run_found(thread& t, task& found, bool may_be_called = true);
// Returns, once in 64 tasks, whether a thread's queue is long. Then the creator calls
// run_surplus(): a new unit runs the newest half of the queue, and the creator goes on when the
// unit ends or blocks.
inline bool has_surplus(thread& t) noexcept {
    constexpr std::uint32_t between_looks = 64;
    return ++t.tasks_pushed % between_looks == 0 && is_queue_long(t);
}
void run_surplus(thread& t, task& creator);
// Starts a unit of the thread that runs tasks. The caller gives way to it, and goes on when it ends
// or blocks. Returns false if there is no memory.
bool launch_runner(thread& t, core::entry_function entry, void* argument);
// Called at the end of each unit that runs tasks.
void end_of_runner(thread& t, team& all) noexcept;
// Makes a unit that runs tasks of the thread. Returns nullptr if no task may start.
work_unit* make_runner(worker& w, thread& t, core::pool& home) noexcept;
// As make_runner(), for any thread that has units in the scheduler `there`.
work_unit* make_runner_for_served(worker& w, const thread_scheduler& there,
                                  core::pool& home) noexcept;
}  // namespace lazult::omp
