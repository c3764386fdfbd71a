// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/running.hpp"

#include "tasks/caller.hpp"
#include "tasks/finding.hpp"
#include "threads/headroom.hpp"

namespace lazult::omp {
namespace {

// Returns whether a unit may run one more task, because its scheduler has nothing else to run.
bool may_go_on(const thread& t) noexcept {
    const worker& w = core::running_worker();
    return !t.scheduler->has_other_work(w);
}

// Functions of units that run tasks. Their argument is the first task.
void run_one(void* first) {
    thread& t = *me().here;
    team& all = *t.its_team;
    run_task(t, *static_cast<task*>(first));
    end_of_runner(t, all);
}

void run_many(void* first) {
    unit_data& mine = me();
    thread& t = *mine.here;
    team& all = *t.its_team;
    for (auto* what = static_cast<task*>(first); what != nullptr;
         what = may_go_on(t) ? find_task(t) : nullptr) {
        run_in(mine, t, *what);
    }
    end_of_runner(t, all);
}

void run_half(void* first) {
    unit_data& mine = me();
    thread& t = *mine.here;
    team& all = *t.its_team;
    std::size_t left = long_queue(t) / 2;
    ++t.surplus_units;
    for (auto* what = static_cast<task*>(first); what != nullptr;
         what = --left != 0 ? take_own(t) : nullptr) {
        run_in(mine, t, *what);
    }
    --t.surplus_units;
    end_of_runner(t, all);
}

work_unit* prepare_runner(worker& w, thread& t, core::pool& home, core::entry_function entry,
                          void* argument) {
    work_unit* u = core::prepare(w, home, entry, argument, unit_attributes());
    if (u == nullptr) {
        return nullptr;
    }
    begin_data(*u, {&t.implicit, &t, t.number, t.its_team->size});
    u->join.reset_detached();
    t.scheduler->add_resident();
    if (t.its_team->kind == team_kind::units) {
        t.scheduler->add_unit(t);
        // relaxed: a unit of this thread is counted already, or the thread itself is the reader
        t.its_team->running.fetch_add(1, std::memory_order_relaxed);
    }
    return u;
}

// Called by the last unit of a nested team's thread, after which no scheduler looks for the
// thread's tasks. Units that wait for these tasks may sleep, because the creator of a task notifies
// only units in barriers and at the region's end. So a new unit runs the tasks, after the
// scheduler's other ready units.
void leave_rest(thread& t, team& all) noexcept {
    worker& w = core::this_worker();
    const core::entry_function entry = each_in_its_own_unit() ? run_one : run_many;
    while (task* const rest = find_near(t, all)) {
        work_unit* u = prepare_runner(w, t, *w.current->home, entry, rest);
        if (u != nullptr) {
            core::launch_open(w, u);
            return;
        }
        run_task(t, *rest);
    }
}

}  // namespace

void end_of_runner(thread& t, team& all) noexcept {
    const bool is_nested = all.kind == team_kind::units;
    if (is_nested && t.units == 1) {
        leave_rest(t, all);
    }
    end_unit(t);
    // pairs with: is_busy(), load
    if (is_nested && all.running.fetch_sub(1, std::memory_order_seq_cst) == 1) {
        wake_all(&all.running);
    }
}

bool launch_runner(thread& t, core::entry_function entry, void* argument) {
    worker& w = core::this_worker();
    work_unit* u = prepare_runner(w, t, *w.current->home, entry, argument);
    if (u == nullptr) {
        return false;
    }
    core::launch_child_first(u);
    return true;
}

void run_task(thread& t, task& what) { run_in(me(), t, what); }

void run_apart(thread& t, task& what) {
    if (t.scheduler == nullptr || !launch_runner(t, run_one, &what)) {
        run_task(t, what);
    }
}

void run_found(thread& t, task& found, bool may_be_called) {
    if (may_be_called && has_headroom()) LAZULT_LIKELY {
        run_task(t, found);
    } else {
        run_apart(t, found);
    }
}

void run_surplus(thread& t, task& creator) {
    const tied_suspension here(t, creator);
    if (task* const first = take_own(t);
        first != nullptr && !launch_runner(t, each_in_its_own_unit() ? run_one : run_half, first)) {
        task_queue::put_back(first);
    }
}

work_unit* make_runner(worker& w, thread& t, core::pool& home) noexcept {
    if (t.at_barrier != nullptr && !may_have_tasks(*t.its_team, *t.at_barrier)) {
        return nullptr;
    }
    task* first = find_task(t);
    if (first == nullptr && t.suspended_tied != nullptr) LAZULT_UNLIKELY {
        // waiting units looked for it before they slept, but it may have been created since
        first = find_buried_task(t, 0);
    }
    if (first == nullptr) {
        return nullptr;
    }
    work_unit* u = prepare_runner(w, t, home, each_in_its_own_unit() ? run_one : run_many, first);
    if (u == nullptr) {
        task_queue::put_back(first);
        return nullptr;
    }
    probe::release(u);
    return u;
}

work_unit* make_runner_for_served(worker& w, const thread_scheduler& there,
                                  core::pool& home) noexcept {
    for (thread* each = there.served(); each != nullptr; each = each->served_next) {
        if (each->its_team->had_tasks.load(std::memory_order_relaxed)) {
            if (work_unit* u = make_runner(w, *each, home); u != nullptr) {
                return u;
            }
        }
    }
    return nullptr;
}

}  // namespace lazult::omp
