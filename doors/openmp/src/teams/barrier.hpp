// SPDX-License-Identifier: BSD-3-Clause
// Barriers of a team. A waiting thread runs the team's tasks meanwhile. No barrier opens before all
// tasks of the team have completed.
#pragma once

#include "model/team.hpp"

namespace lazult::omp {

// Returns whether the region was cancelled; always false if `how` ignores cancellation.
bool wait_at_barrier(thread& t, team_barrier& barrier, cancellation how);

// Waits at the end of a region; cancellation is ignored. The first `first_leave` threads to arrive
// do not wait for the others, if there are no tasks.
void finish_at_barrier(thread& t, team_barrier& barrier, std::uint32_t first_leave);

}  // namespace lazult::omp
