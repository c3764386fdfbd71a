// SPDX-License-Identifier: BSD-3-Clause
// Barriers of a team. Who waits runs the team's tasks meanwhile, and none opens before all of them have completed.
#pragma once

#include "team.hpp"

namespace lazult::omp {

// True if the region was cancelled; only where the barrier is one that cancellation ends.
enum class cancellation : bool { ignored, ends_wait };
bool wait_at_barrier(thread& t, team_barrier& barrier, cancellation how);

// Likewise at the end of a region. So many, the first to arrive, do not wait for the others, if there are no tasks.
void finish_at_barrier(thread& t, team_barrier& barrier, std::uint32_t first_leave);

// By whoever completed a task, or may have: opens the barrier at which everybody is, if no task is left.
void open_if_complete(team& all, team_barrier& barrier) noexcept;

}  // namespace lazult::omp
