// SPDX-License-Identifier: BSD-3-Clause
// What teams of all kinds need as they begin and end.
#pragma once

#include "model/team.hpp"
#include "model/unit_data.hpp"
#include "teams/affinity_format.hpp"

namespace lazult::omp {

// What a region's directive says. `prepare` is called before the team's other threads begin.
struct team_preparation {
    void (*prepare)(team& fresh, void* argument) = nullptr;
    void* argument = nullptr;
};
struct region_request {
    region_function function;
    void* data;
    std::uint32_t threads;  // 0: as the variables say
    std::uint32_t flags;    // the proc_bind clause
    team_preparation preparation = {};
};

// How many threads a region gets that this task asks for, with so many threads or 0.
std::uint32_t resolve_threads(const task& self, std::uint32_t wanted) noexcept;

// A team of so many threads, which sit there, for the caller's region. Their places are settled,
// and what the directive wants is prepared.
void describe(team& region, const region_request& wanted, const unit_data& mine,
              std::uint32_t size);
// By each thread but the parent: its part of the region.
inline void run_part(const team& region) {
    if (region.shows_affinity) LAZULT_UNLIKELY {
        display_affinity();
    }
    region.function(region.data);
}
// At the end, for limits of threads.
void uncount_busy(const team& region) noexcept;
// Where other threads come to a team.
void forget_history(team& region) noexcept;
// What end_region() needs to go back: it stands in the team's parent thread's place, in a list
// through the teams.
unit_data outer_data(const team& region) noexcept;

}  // namespace lazult::omp
