// SPDX-License-Identifier: BSD-3-Clause
// What a flow has that is in no region: an OS thread's own, or another door's ULT. It is the
// initial task of a team of one.
#pragma once

#include "tasks/task_cache.hpp"
#include "teams/team.hpp"

namespace lazult::omp {

// By its flow only. Never destroyed: records of tasks name its memory.
struct initial_context {
    team initial_team;
    thread initial;
    flow_part part;
    contention_group group;
    task_cache cache;

    void begin(const icvs& first);
};

}  // namespace lazult::omp
