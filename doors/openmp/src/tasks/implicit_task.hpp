// SPDX-License-Identifier: BSD-3-Clause
// Records of implicit and initial tasks.
#pragma once

#include "model/task_cache.hpp"
#include "model/team.hpp"
#include "model/unit_data.hpp"

namespace lazult::omp {

// Prepares the record of an implicit task.
void begin_implicit(thread& t, team& all, std::uint32_t number) noexcept;

// What an OS thread or another door's ULT has outside of regions: it runs the initial task of a
// team of one. Never destroyed, because records of tasks may point into its memory.
struct initial_context {
    team initial_team;
    thread initial;
    unit_data part;
    contention_group group;
    task_cache cache;

    void begin(const icvs& first);
};

}  // namespace lazult::omp
