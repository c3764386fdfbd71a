// SPDX-License-Identifier: BSD-3-Clause
// Parallel regions. Level-1 teams consist of OS threads: see stream_team.hpp. Teams inside active
// regions, and teams of other doors' ULTs, consist of ULTs: see unit_team.hpp.
#pragma once

#include "teams/team_setup.hpp"

namespace lazult::omp {

// The caller becomes thread 0 of a new team. The other threads begin to run the function.
team& begin_region(const region_request& wanted);
// Called by thread 0 when it has run its part.
void end_region();
void run_region(const region_request& wanted);

}  // namespace lazult::omp
