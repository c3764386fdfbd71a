// SPDX-License-Identifier: BSD-3-Clause
// Teams of ULTs, for nested regions, and for regions that another door's ULT enters. There this ULT
// waits, and all threads of the team are new ULTs, thread 0, too. These have the stacks that
// OpenMP's users expect, while other doors' are small. They run on the streams that serve the home
// pool of the waiting ULT, so the program needs no more OS threads. The waiting ULT is in no region
// itself. So it may be migrated or cancelled, which takes effect when its team has ended.
#pragma once

#include "teams/team_setup.hpp"

namespace lazult::omp {

// The caller becomes thread 0. Without a scheduler it is the only thread.
team& begin_units(const region_request& wanted, unit_data& mine, std::uint32_t threads);
void end_units(team& region);

// Returns the pool for a team of the calling ULT, or nullptr if the ULT may not suspend or its pool
// takes only units of its own door.
core::pool* pool_for_visits() noexcept;
// Runs the region by a team in pool `among`. The calling ULT waits for the team.
void run_visit(core::pool& among, const region_request& wanted, const unit_data& mine,
               std::uint32_t threads);

// For a forked child process: makes the spare list anew; another thread may have held its lock.
void forget_spare_teams() noexcept;

}  // namespace lazult::omp
