// SPDX-License-Identifier: BSD-3-Clause
// Functions of gcc's interface: tasks, taskwait, taskgroups, events.
#include "abi/export.hpp"
#include "tasks/awaiting.hpp"
#include "tasks/caller.hpp"
#include "tasks/creation.hpp"
#include "tasks/finding.hpp"
#include "tasks/running.hpp"

using namespace lazult::omp;

namespace {

LAZULT_NOINLINE void create_any_task(region_function fn, void* data, void (*copy)(void*, void*),
                                     long bytes, long alignment, bool if_clause, unsigned flags,
                                     void** depend, int priority, void* event) {
    create_task(
        {fn, data, copy, static_cast<std::size_t>(bytes), static_cast<std::size_t>(alignment)},
        {flags, if_clause, depend, priority, event});
}

}  // namespace

extern "C" {

// Most calls to GOMP_task() call no other function, or one as their last step, so they save few
// registers.
OMP_API void GOMP_task(region_function fn, void* data, void (*copy)(void*, void*), long bytes,
                       long alignment, bool if_clause, unsigned flags, void** depend, int priority,
                       void* event) {
    unit_data* const mine = data_of_unit();
    if (mine == nullptr || (reinterpret_cast<std::uintptr_t>(copy) | (flags & ~plain_flags)) != 0)
        LAZULT_UNLIKELY {
        // Keeps these arguments in memory; otherwise all calls would load them and save registers.
        asm("" : "+m"(depend), "+m"(priority), "+m"(event));
        create_any_task(fn, data, copy, bytes, alignment, if_clause, flags, depend, priority,
                        event);
        return;
    }
    thread& t = *mine->here;
    task& self = *mine->running;
    if (!if_clause || self.has(task_final)) {
        run_uncounted(*mine, fn, data, flags);
    } else if (t.kept.can_add() && self.depth >= t.least_keeping_depth &&
               suits_keeping(self, static_cast<std::size_t>(bytes),
                             static_cast<std::size_t>(alignment))) {
        keep(t, self, fn, data, static_cast<std::size_t>(bytes), flags);
    } else {
        create_plain_task(*mine, fn, data, static_cast<std::size_t>(bytes),
                          static_cast<std::size_t>(alignment), flags);
    }
}

OMP_API void GOMP_taskwait() { wait_for_children(me()); }

OMP_API void GOMP_taskwait_depend(void** depend) { wait_for_dependences(me(), {depend}); }

// Runs a task that may start here. If there is none, lets other ready units run.
OMP_API void GOMP_taskyield() {
    const unit_data& mine = me();
    thread& t = *mine.here;
    const tied_suspension here(t, *mine.running);
    if (t.its_team->kind == team_kind::initial) {
        return;
    }
    if (task* found = find_task(t); found != nullptr) {
        run_apart(t, *found);
    } else {
        core::yield();
    }
}

OMP_API void GOMP_taskgroup_start() { taskgroup_begin(*me().running); }

OMP_API void GOMP_taskgroup_end() { taskgroup_finish(me()); }

// Any thread of the process may call this.
OMP_API void omp_fulfill_event(std::uintptr_t handle) {
    auto* const what = reinterpret_cast<task*>(handle);
    const atomic<std::uint32_t>* const word = &what->event;
    // pairs with: end_task_partly() and end_discarded(), fetch_or, and await_event()
    const std::uint32_t before = what->event.fetch_or(event_fulfilled, std::memory_order_seq_cst);
    if ((before & event_region_ended) == 0) {
        wake_all(word);  // the task's region has not ended, and may wait for this
    } else if ((before & event_of_no_use) != 0) {
        forget_discarded(*what);
    } else {
        complete_detached(*what);
    }
}
OMP_API void omp_fulfill_event_(std::uintptr_t handle) { omp_fulfill_event(handle); }
}
