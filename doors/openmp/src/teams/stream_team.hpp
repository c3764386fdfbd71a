// SPDX-License-Identifier: BSD-3-Clause
// Level-1 teams. They consist of OS threads: the parent's, which its scheduler adopts for the
// length of the region, and helpers of the pool.
#pragma once

#include "teams/team_setup.hpp"

namespace lazult::omp {

// The caller becomes thread 0. `outside` is its record.
team& begin_streams(const region_request& wanted, const unit_data& outside, std::uint32_t threads);
void end_streams(team& region);

}  // namespace lazult::omp
