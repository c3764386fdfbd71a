// SPDX-License-Identifier: BSD-3-Clause
// Creates tasks, by their clauses: a task is kept, put into its thread's queue, or run at once.
#pragma once

#include "model/unit_data.hpp"
#include "tasks/keeping.hpp"
#include "tasks/record.hpp"

namespace lazult::omp {

// Flags of GOMP_task() and GOMP_taskloop(), as gcc numbers them.
enum request_flag : unsigned {
    wants_untied = 1,
    wants_final = 1 << 1,
    is_mergeable = 1 << 2,
    has_depend = 1 << 3,
    has_priority = 1 << 4,
    goes_up = 1 << 8,
    has_grainsize = 1 << 9,
    has_if = 1 << 10,
    has_no_group = 1 << 11,
    has_reduction = 1 << 12,
    has_event = 1 << 13,
    is_strict = 1 << 14
};

constexpr unsigned plain_flags = wants_untied | is_mergeable;

struct task_arguments {
    region_function function;
    void* data;
    void (*copy)(void*, void*);
    std::size_t bytes;
    std::size_t alignment;
};

struct task_options {
    unsigned flags = 0;
    bool may_be_deferred = true;
    void** depend = nullptr;
    int priority = 0;
    void* event = nullptr;
    // a taskloop's task: two bounds, which become the first words of its arguments
    const std::uint64_t* bounds = nullptr;
};

// Runs a task without event and dependences at once, on its creator's stack. The task is counted
// nowhere, because its creator goes on only after its end. It has a record because it may create
// tasks and set or read control variables.
void run_uncounted(unit_data& mine, region_function function, void* data, unsigned flags);

// Creates a deferred task that has clauses for data only.
void create_plain_task(unit_data& mine, region_function function, void* data, std::size_t bytes,
                       std::size_t alignment, unsigned flags);
// Creates such a task as a kept one: see kept_calls.hpp.
LAZULT_ALWAYS_INLINE void keep(thread& t, task& self, region_function function, const void* data,
                               std::size_t bytes, unsigned flags) noexcept {
    kept_call& fresh = t.kept.add();
    fresh.creator = reinterpret_cast<std::uintptr_t>(&self) | (flags & wants_untied);
    fresh.function = function;
    copy_words(fresh.arguments, data, bytes);
    ++self.created;
}

// Creates a task with any clauses.
void create_task(const task_arguments& what, const task_options& options);

}  // namespace lazult::omp
