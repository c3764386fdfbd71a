// SPDX-License-Identifier: BSD-3-Clause
// Places: where the threads of a team are, and binding them.
#pragma once

#include "teams/team.hpp"

namespace lazult::omp {

// By the parent, before the fork: each thread's place and partition, after the policy.
void assign_places(team& region, const thread& parent, bind_policy policy) noexcept;
// By a thread that may have got another place.
void apply_affinity(thread& t) noexcept;
// Says where the calling flow is, as omp_display_affinity() does.
void display_own_affinity();

}  // namespace lazult::omp
