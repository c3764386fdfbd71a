// SPDX-License-Identifier: BSD-3-Clause
// What teams of all kinds need as they begin and end.
#pragma once

#include "model/team.hpp"
#include "model/unit_data.hpp"
#include "teams/affinity_format.hpp"

namespace lazult::omp {

// `prepare` is called with the new team before its other threads begin.
struct team_preparation {
    void (*prepare)(team& fresh, void* argument) = nullptr;
    void* argument = nullptr;
};
struct region_request {
    region_function function;
    void* data;
    std::uint32_t threads;  // 0: as the control variables say
    std::uint32_t flags;    // the proc_bind clause
    team_preparation preparation = {};
};

// Returns how many threads a region of task `self` gets if it asks for `wanted` (0: any number).
std::uint32_t resolve_threads(const task& self, std::uint32_t wanted) noexcept;

// Sets up the team of the caller's region. Its `size` threads are in region.members already.
// Assigns their places, and calls `prepare`.
void describe(team& region, const region_request& wanted, const unit_data& mine,
              std::uint32_t size);
// Runs the calling thread's part of the region. Not for the caller of begin_region().
inline void run_part(const team& region) {
    if (region.shows_affinity) LAZULT_UNLIKELY {
        display_affinity();
    }
    region.function(region.data);
}
// Called at the region's end: takes its threads, except the caller, out of the number that thread
// limits bound.
void uncount_busy(const team& region) noexcept;
// Called when a team gets other threads: resets its task counts, and what its threads remember of
// the loops that they divided by ds/split_loop.hpp.
void forget_history(team& region) noexcept;
// Returns the record that the parent's unit had before the region.
unit_data outer_data(const team& region) noexcept;

}  // namespace lazult::omp
