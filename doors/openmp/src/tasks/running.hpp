// SPDX-License-Identifier: BSD-3-Clause
// Runs tasks, on top of the caller or on units of their own.
#pragma once

#include "model/unit_data.hpp"
#include "tasks/ending.hpp"
#include "tasks/kept_sharing.hpp"
#include "threads/scheduler.hpp"

namespace lazult::omp {

inline bool is_discarded(const task& what) noexcept {
    return !what.has(task_constructed) && is_cancelled(what);
}

// `mine` is the caller's, and stays that.
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

// Runs it, on top of the caller, to its end.
void run_task(thread& t, task& what);
// Runs the task in a unit of its own. The caller gives way to that unit, and goes on when it ends
// or blocks. Without a scheduler, or memory for the unit, it runs on top of the caller.
void run_apart(thread& t, task& what);
// By a unit that waits: on top of that if it may be, and its stack has room for it.
void run_found(thread& t, task& found, bool may_be_called = true);
// Where more tasks wait in a thread's queue than caches hold well, its creator stops for a while,
// and the newest half of them is run, by a unit of its own: if that blocks, the creator goes on.
inline bool has_surplus(thread& t) noexcept {
    constexpr std::uint32_t between_looks = 64;
    return ++t.tasks_pushed % between_looks == 0 && is_queue_long(t);
}
void run_surplus(thread& t, task& creator);
// A unit of the thread, by which tasks run: the caller gives way to it, and goes on when it ends or
// blocks. False: no memory.
bool launch_runner(thread& t, core::entry_function entry, void* argument);
// Its entry function calls this at its end.
void end_of_runner(thread& t, team& all) noexcept;
// A unit that runs tasks of the thread, if there is one to run.
work_unit* make_runner(worker& w, thread& t, core::pool& home) noexcept;
// The same for tasks of those that have units there.
work_unit* make_runner_for_served(worker& w, const thread_scheduler& there,
                                  core::pool& home) noexcept;
}  // namespace lazult::omp
