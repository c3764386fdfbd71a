// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/reductions.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "abi/export.hpp"
#include "tasks/tasking.hpp"
#include "teams/barrier.hpp"
#include "teams/parallel.hpp"

namespace lazult::omp {
namespace {

enum word : std::size_t {
    count_word = 0,
    bytes_word = 1,
    memory_word = 2,
    next_word = 4,
    end_word = 6,
    first_variable = 7
};
constexpr std::size_t words_per_variable = 3;

std::uintptr_t* next_of(const std::uintptr_t* array) noexcept {
    return reinterpret_cast<std::uintptr_t*>(array[next_word]);
}

const std::uintptr_t* variable_at(const std::uintptr_t* array, std::size_t i) noexcept {
    return array + first_variable + i * words_per_variable;
}

struct place_found {
    const std::uintptr_t* array = nullptr;
    const std::uintptr_t* variable = nullptr;  // nullptr: it lies within one
    std::uintptr_t offset = 0;                 // in a thread's bytes
};

place_found find_variable(const std::uintptr_t* array, std::uintptr_t address) noexcept {
    for (std::size_t i = 0; i < array[count_word]; ++i) {
        if (const std::uintptr_t* variable = variable_at(array, i); variable[0] == address) {
            return {array, variable, variable[1]};
        }
    }
    return {};
}

// A task that was given a thread's own copy, and passes it on.
place_found find_copy(const std::uintptr_t* array, std::uintptr_t address) noexcept {
    if (address < array[memory_word] || address >= array[end_word]) {
        return {};
    }
    const std::uintptr_t offset = (address - array[memory_word]) % array[bytes_word];
    for (std::size_t i = 0; i < array[count_word]; ++i) {
        if (const std::uintptr_t* variable = variable_at(array, i); variable[1] == offset) {
            return {array, variable, offset};
        }
    }
    return {array, nullptr, offset};
}

template <class Find>
place_found find_in_groups(const taskgroup* group, std::uintptr_t address, Find find) noexcept {
    for (; group != nullptr; group = group->outer) {
        for (const std::uintptr_t* array = group->reductions; array != nullptr;
             array = next_of(array)) {
            if (place_found found = find(array, address); found.array != nullptr) {
                return found;
            }
        }
    }
    return {};
}

place_found find(const taskgroup* group, std::uintptr_t address) {
    place_found found = find_in_groups(group, address, find_variable);
    if (found.array == nullptr) {
        found = find_in_groups(group, address, find_copy);
    }
    if (found.array == nullptr) {
        base::fatal_misuse("OpenMP task",
                           "its in_reduction names what no task_reduction around it names",
                           "name it there");
    }
    return found;
}

// Of a region that was cancelled: others may still use them, or will not come here.
void abandon_reductions(team& all, const std::uintptr_t* arrays) {
    const std::lock_guard hold(all.share_lock);
    for (; arrays != nullptr; arrays = next_of(arrays)) {
        auto* const memory = reinterpret_cast<void*>(arrays[memory_word]);
        if (std::find(all.abandoned.begin(), all.abandoned.end(), memory) == all.abandoned.end()) {
            all.abandoned.push_back(memory);
        }
    }
}

}  // namespace

void register_reductions(std::uintptr_t* arrays, std::uint32_t threads) {
    for (std::uintptr_t* array = arrays; array != nullptr; array = next_of(array)) {
        const std::size_t alignment = std::max<std::size_t>(array[memory_word], base::cache_line);
        const std::size_t bytes =
            (array[bytes_word] * threads + alignment - 1) / alignment * alignment;
        void* memory = std::aligned_alloc(alignment, std::max(bytes, alignment));
        if (memory == nullptr) {
            base::fatal_misuse("OpenMP reduction", "no memory for the threads' copies",
                               "lower their number");
        }
        std::memset(memory, 0, bytes);
        array[memory_word] = reinterpret_cast<std::uintptr_t>(memory);
        array[end_word] = array[memory_word] + array[bytes_word] * threads;
    }
}

void share_reductions(std::uintptr_t* arrays, const std::uintptr_t* registered) noexcept {
    for (; arrays != nullptr; arrays = next_of(arrays), registered = next_of(registered)) {
        arrays[memory_word] = registered[memory_word];
        arrays[end_word] = registered[end_word];
    }
}

void free_reductions(std::uintptr_t* arrays) noexcept {
    for (; arrays != nullptr; arrays = next_of(arrays)) {
        std::free(reinterpret_cast<void*>(arrays[memory_word]));
    }
}

void enter_share_reductions(thread& t, std::uintptr_t* arrays, bool is_first) {
    task& self = *me().running;
    taskgroup_begin(self);
    self.group->is_workshare = true;
    if (is_first) {
        register_reductions(arrays, t.its_team->size);
        t.at.share->reductions = arrays;
    } else {
        share_reductions(arrays, t.at.share->reductions);
    }
    self.group->reductions = arrays;
}

}  // namespace lazult::omp

using namespace lazult::omp;

extern "C" {

OMP_API void GOMP_taskgroup_reduction_register(std::uintptr_t* arrays) {
    flow_part& mine = me();
    register_reductions(arrays, mine.team_size);
    mine.running->group->reductions = arrays;
}

OMP_API void GOMP_taskgroup_reduction_unregister(std::uintptr_t* arrays) {
    free_reductions(arrays);
}

// The first words of the list are addresses of variables; each becomes that of the thread's own
// copy. Behind them stands, for some, room for the address of the original.
OMP_API void GOMP_task_reduction_remap(std::size_t count, std::size_t originals, void** list) {
    const flow_part& mine = me();
    for (std::size_t i = 0; i < count; ++i) {
        const auto address = reinterpret_cast<std::uintptr_t>(list[i]);
        const place_found found = find(mine.running->group, address);
        if (i < originals && found.variable != nullptr) {
            list[count + i] = reinterpret_cast<void*>(found.variable[0]);
        }
        list[i] = reinterpret_cast<void*>(found.array[memory_word] +
                                          mine.number * found.array[bytes_word] + found.offset);
    }
}

// The thread numbered 0 has combined the copies.
OMP_API void GOMP_workshare_task_reduction_unregister(bool cancelled) {
    thread& t = *me().here;
    task& self = *me().running;
    std::uintptr_t* const arrays = self.group->reductions;
    taskgroup_finish(t, self);
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
    run_region(
        {fn, data, threads, flags},
        [](team& fresh, void* argument) {
            auto& p = *static_cast<preparation*>(argument);
            register_reductions(p.arrays, fresh.size);
            p.size = fresh.size;
            p.group.reductions = p.arrays;
            p.group.is_workshare = true;
            fresh.reduction_group = &p.group;
        },
        &wanted);
    return wanted.size;
}
}
