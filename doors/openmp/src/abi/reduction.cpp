// SPDX-License-Identifier: BSD-3-Clause
// Functions of gcc's interface: reductions over tasks.
#include "abi/export.hpp"
#include "tasks/awaiting.hpp"
#include "tasks/caller.hpp"
#include "tasks/reductions.hpp"
#include "teams/barrier.hpp"
#include "teams/parallel.hpp"

using namespace lazult::omp;

extern "C" {

OMP_API void GOMP_taskgroup_reduction_register(std::uintptr_t* arrays) {
    unit_data& mine = me();
    register_reductions(arrays, mine.team_size);
    mine.running->group->reductions = arrays;
}

OMP_API void GOMP_taskgroup_reduction_unregister(std::uintptr_t* arrays) {
    free_reductions(arrays);
}

// Replaces the list's `count` addresses of variables by those of the thread's own copies. For the
// first `originals` of them, also stores the variable's own address, behind the `count` words.
OMP_API void GOMP_task_reduction_remap(std::size_t count, std::size_t originals, void** list) {
    const unit_data& mine = me();
    for (std::size_t i = 0; i < count; ++i) {
        const auto address = reinterpret_cast<std::uintptr_t>(list[i]);
        const found_variable found = find_reduction(mine.running->group, address);
        if (i < originals && found.variable != nullptr) {
            list[count + i] = reinterpret_cast<void*>(found.variable[0]);
        }
        list[i] = reinterpret_cast<void*>(found.array[memory_word] +
                                          mine.number * found.array[bytes_word] + found.offset);
    }
}

// Thread 0 has combined all copies before it calls this.
OMP_API void GOMP_workshare_task_reduction_unregister(bool cancelled) {
    unit_data& mine = me();
    thread& t = *mine.here;
    std::uintptr_t* const arrays = mine.running->group->reductions;
    taskgroup_finish(mine);
    if (cancelled) {
        abandon_reductions(*t.its_team, arrays);
        return;
    }
    wait_at_barrier(t, t.its_team->inside, cancellation::ignored);
    if (t.number == 0) {
        free_reductions(arrays);
    }
}

OMP_API unsigned GOMP_parallel_reductions(region_function fn, void* data, unsigned threads,
                                          unsigned flags) {
    struct preparation {
        std::uintptr_t* arrays;
        taskgroup group;
        std::uint32_t size;
    } wanted{*static_cast<std::uintptr_t**>(data), {}, 1};
    const auto prepare = [](team& fresh, void* argument) {
        auto& p = *static_cast<preparation*>(argument);
        register_reductions(p.arrays, fresh.size);
        p.size = fresh.size;
        p.group.reductions = p.arrays;
        p.group.is_workshare = true;
        fresh.reduction_group = &p.group;
    };
    run_region({fn, data, threads, flags, {prepare, &wanted}});
    return wanted.size;
}
}
