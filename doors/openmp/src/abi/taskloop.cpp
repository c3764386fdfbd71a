// SPDX-License-Identifier: BSD-3-Clause
// Functions of gcc's interface: taskloops.
#include <algorithm>

#include "abi/export.hpp"
#include "loops/work_sharing.hpp"
#include "tasks/awaiting.hpp"
#include "tasks/caller.hpp"
#include "tasks/creation.hpp"
#include "tasks/reductions.hpp"

using namespace lazult::omp;

namespace {

struct division {
    std::uint64_t tasks;
    std::uint64_t least;   // iterations of each task
    std::uint64_t larger;  // how many tasks, the first ones, have one more
    std::uint64_t last;    // iterations of the last task; 0: as the others
};

division divide(std::uint64_t count, std::uint64_t wanted, unsigned flags,
                std::uint64_t team_size) noexcept {
    if ((flags & has_grainsize) != 0 && (flags & is_strict) != 0) {
        const std::uint64_t tasks = (count + wanted - 1) / wanted;
        return {tasks, wanted, 0, count - (tasks - 1) * wanted};
    }
    std::uint64_t tasks = wanted == 0 ? team_size : wanted;
    if ((flags & has_grainsize) != 0) {
        tasks = std::max<std::uint64_t>(count / wanted, 1);
    }
    tasks = std::min(tasks, count);
    return {tasks, count / tasks, count % tasks, 0};
}

struct taskloop_request {
    task_arguments what;
    unsigned flags;
    std::uint64_t wanted;
    int priority;
    loop_bounds bounds;
};

void create_loop_task(const taskloop_request& all, std::uint64_t from, std::uint64_t to) {
    const std::uint64_t bounds[] = {all.bounds.at(from), all.bounds.at(to)};
    task_options options;
    options.flags = all.flags & (wants_untied | wants_final | has_priority);
    options.may_be_deferred = (all.flags & has_if) != 0;
    options.priority = all.priority;
    options.bounds = bounds;
    create_task(all.what, options);
}

void create_loop_tasks(const taskloop_request& all) {
    const division d = divide(all.bounds.count, all.wanted, all.flags, me().team_size);
    std::uint64_t from = 0;
    for (std::uint64_t i = 0; i < d.tasks; ++i) {
        std::uint64_t to = from + d.least + (i < d.larger ? 1 : 0);
        if (i + 1 == d.tasks && d.last != 0) {
            to = from + d.last;
        }
        create_loop_task(all, from, to);
        from = to;
    }
}

void run_taskloop(const taskloop_request& all) {
    task& self = *me().running;
    const bool has_group = (all.flags & has_no_group) == 0;
    if (has_group) {
        taskgroup_begin(self);
    }
    if ((all.flags & has_reduction) != 0) {
        auto* arrays = static_cast<std::uintptr_t**>(all.what.data)[2];
        register_reductions(arrays, me().team_size);
        self.group->reductions = arrays;
    }
    if (all.bounds.count != 0) {
        create_loop_tasks(all);
    }
    if (has_group) {
        taskgroup_finish(me());
    }
}

}  // namespace

extern "C" {

OMP_API void GOMP_taskloop(region_function fn, void* data, void (*copy)(void*, void*), long bytes,
                           long alignment, unsigned flags, unsigned long wanted, int priority,
                           long start, long end, long step) {
    run_taskloop(
        {{fn, data, copy, static_cast<std::size_t>(bytes), static_cast<std::size_t>(alignment)},
         flags,
         wanted,
         priority,
         bounds_of(start, end, step)});
}

OMP_API void GOMP_taskloop_ull(region_function fn, void* data, void (*copy)(void*, void*),
                               long bytes, long alignment, unsigned flags, unsigned long wanted,
                               int priority, unsigned long long start, unsigned long long end,
                               unsigned long long step) {
    run_taskloop(
        {{fn, data, copy, static_cast<std::size_t>(bytes), static_cast<std::size_t>(alignment)},
         flags,
         wanted,
         priority,
         bounds_of((flags & goes_up) != 0, start, end, step)});
}
}
