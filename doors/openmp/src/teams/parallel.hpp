// SPDX-License-Identifier: BSD-3-Clause
// Forking and joining teams.
#pragma once

#include "teams/team.hpp"

namespace lazult::omp {

struct region_request {
    region_function function;
    void* data;
    std::uint32_t threads;  // 0: as the variables say
    std::uint32_t flags;    // the proc_bind clause
};

// How many threads a region gets here that asks for so many.
std::uint32_t resolve_threads(std::uint32_t wanted) noexcept;

// The caller becomes thread 0 of a new team. The other threads begin to run the function. `prepare`
// is called before they do.
using team_preparation = void (*)(team& fresh, void* argument);
team& begin_region(const region_request& wanted, team_preparation prepare = nullptr,
                   void* argument = nullptr);
// It has run its own part.
void end_region();
void run_region(const region_request& wanted, team_preparation prepare = nullptr,
                void* argument = nullptr);

// By the threads of a level-1 team but its parent: they are in nobody's region when this returns.
void end_member(thread& t);

// In a child process: the list of spare ones may have been another thread's.
void forget_spare_teams() noexcept;

}  // namespace lazult::omp
