// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/implicit_task.hpp"

#include "loops/work_sharing.hpp"

namespace lazult::omp {
namespace {

// Returns the least nesting depth at which a creator's tasks are kept. In a larger team, kept tasks
// wait while their creator works or polls, and creators at such a depth seldom do so for long.
// Threads that share an OS thread (team_kind::units) keep no tasks.
std::uint32_t keeping_depth(const team& all, const task& implicit) noexcept {
    constexpr std::uint32_t levels = 3;
    if (all.size == 1) {
        return 0;
    }
    return all.kind == team_kind::streams ? implicit.depth + levels : UINT32_MAX;
}

}  // namespace

void begin_implicit(thread& t, team& all, std::uint32_t number) noexcept {
    t.its_team = &all;
    t.number = number;
    begin_shares(t, all);
    task& own = t.implicit;
    own.parent = all.parent_task;
    own.its_team = &all;
    own.on = &t;
    own.group = all.reduction_group;
    if (own.children_by_address != nullptr) LAZULT_UNLIKELY {
        forget_dependences(own);  // of the region before
    }
    own.created = own.finished_here = 0;
    own.finished_elsewhere.store(0, std::memory_order_relaxed);
    own.depth = all.parent_task == nullptr ? 0 : all.parent_task->depth + 1;
    own.flags = task_implicit;
    own.lowest_child = task::no_child;
    own.variables = all.variables;
    t.kept.close();
    t.least_keeping_depth = keeping_depth(all, own);
}

void initial_context::begin(const icvs& first) {
    group.busy.store(1, std::memory_order_relaxed);
    initial_team.kind = team_kind::initial;
    initial_team.group = &group;
    initial_team.members.assign(1, &initial);
    initial_team.variables = first;
    reset_shares(initial_team);
    initial.cache = &cache;
    begin_implicit(initial, initial_team, 0);
    part = unit_data{&initial.implicit, &initial, 0, 1};
}

}  // namespace lazult::omp
