// SPDX-License-Identifier: BSD-3-Clause
// Assigns places to the threads of a team, and binds OS threads to them.
#pragma once

#include "model/team.hpp"

namespace lazult::omp {

// Called by the parent before the fork. Gives each thread of the team its place and its place
// partition, as `policy` demands.
void assign_places(team& region, const thread& parent, bind_policy policy) noexcept;
// Called by a thread that may have another place now. Binds the OS thread to that place.
void apply_affinity(thread& t) noexcept;

}  // namespace lazult::omp
