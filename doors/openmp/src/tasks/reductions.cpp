// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/reductions.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "tasks/awaiting.hpp"
#include "tasks/caller.hpp"

namespace lazult::omp {
namespace {

constexpr std::size_t words_per_variable = 3;

std::uintptr_t* next_of(const std::uintptr_t* array) noexcept {
    return reinterpret_cast<std::uintptr_t*>(array[next_word]);
}

const std::uintptr_t* variable_at(const std::uintptr_t* array, std::size_t i) noexcept {
    return array + first_variable + i * words_per_variable;
}

found_variable find_variable(const std::uintptr_t* array, std::uintptr_t address) noexcept {
    for (std::size_t i = 0; i < array[count_word]; ++i) {
        if (const std::uintptr_t* variable = variable_at(array, i); variable[0] == address) {
            return {array, variable, variable[1]};
        }
    }
    return {};
}

// Finds an address in a thread's copy: a task that got the address of a copy may pass it on.
found_variable find_copy(const std::uintptr_t* array, std::uintptr_t address) noexcept {
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
found_variable find_in_groups(const taskgroup* group, std::uintptr_t address, Find find) noexcept {
    for (; group != nullptr; group = group->outer) {
        for (const std::uintptr_t* array = group->reductions; array != nullptr;
             array = next_of(array)) {
            if (found_variable found = find(array, address); found.array != nullptr) {
                return found;
            }
        }
    }
    return {};
}

}  // namespace

found_variable find_reduction(const taskgroup* group, std::uintptr_t address) {
    found_variable found = find_in_groups(group, address, find_variable);
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

void abandon_reductions(team& all, const std::uintptr_t* arrays) {
    const std::lock_guard hold(all.share_lock);
    for (; arrays != nullptr; arrays = next_of(arrays)) {
        auto* const memory = reinterpret_cast<void*>(arrays[memory_word]);
        if (std::find(all.abandoned.begin(), all.abandoned.end(), memory) == all.abandoned.end()) {
            all.abandoned.push_back(memory);
        }
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
