// SPDX-License-Identifier: BSD-3-Clause
// Parallel regions. Level-1 teams consist of OS threads, those inside active regions of ULTs, and
// so do the teams of other doors' ULTs: see stream_team.hpp and unit_team.hpp.
#pragma once

#include "teams/team_setup.hpp"

namespace lazult::omp {

// The caller becomes thread 0 of a new team. The other threads begin to run the function.
team& begin_region(const region_request& wanted);
// It has run its own part.
void end_region();
void run_region(const region_request& wanted);

}  // namespace lazult::omp
