// SPDX-License-Identifier: BSD-3-Clause
// Teams of ULTs: those of nested regions, and those of regions that another door's ULT enters. The
// latter waits, and the team consists of new ULTs, thread 0 too: with the stacks that OpenMP's
// users expect, while other doors' are small. They run on the streams that serve the pool where it
// is at home. So the program has no more OS threads than before, and the ULT may be migrated or
// cancelled, for it is in no region: that waits until its team has ended.
#pragma once

#include "teams/team_setup.hpp"

namespace lazult::omp {

// The caller becomes thread 0. Without a scheduler it is the only one.
team& begin_units(const region_request& wanted, unit_data& mine, std::uint32_t threads);
void end_units(team& region);

// The pool for the teams of the calling ULT; nullptr: it gets none, for it may not suspend, or its
// pool takes its own door's units only.
core::pool* pool_for_visits() noexcept;
// The calling ULT waits for a team that runs the region there.
void run_visit(core::pool& among, const region_request& wanted, const unit_data& mine,
               std::uint32_t threads);

// In a child process: the list of spare ones may have been another thread's.
void forget_spare_teams() noexcept;

}  // namespace lazult::omp
