// SPDX-License-Identifier: BSD-3-Clause
#include "teams/parallel.hpp"

#include "tasks/caller.hpp"
#include "teams/stream_team.hpp"
#include "teams/unit_team.hpp"

namespace lazult::omp {
namespace {

bool is_outside() noexcept {
    const worker* w = core::this_worker_or_null();
    return w == nullptr || w->here == nullptr;
}

// Returns whether the caller may be the parent of a team of OS threads: it is in no active region,
// and runs the implicit or initial task of its thread. A target region in an active region runs an
// initial task, too, but under a scheduler.
bool forks_streams(const unit_data& mine) noexcept {
    const team& outer = *mine.here->its_team;
    if (outer.kind == team_kind::initial) {
        return is_outside();
    }
    return outer.kind == team_kind::streams && outer.active_level == 0 &&
           mine.running == &mine.here->implicit;
}

// Returns the pool for a team of the caller, if the caller is another door's ULT that may wait for
// a team; otherwise nullptr.
core::pool* visits(const unit_data& mine) noexcept {
    return mine.here->scheduler != nullptr || is_outside() ? nullptr : pool_for_visits();
}

}  // namespace

team& begin_region(const region_request& wanted) {
    unit_data& mine = me();
    const std::uint32_t threads = resolve_threads(*mine.running, wanted.threads);
    return forks_streams(mine) ? begin_streams(wanted, mine, threads)
                               : begin_units(wanted, mine, threads);
}

void end_region() {
    team& region = *me().here->its_team;
    if (region.kind == team_kind::streams) LAZULT_LIKELY {
        end_streams(region);
    } else {
        end_units(region);
    }
}

void run_region(const region_request& wanted) {
    const unit_data& mine = me();
    if (core::pool* among = visits(mine); among != nullptr) LAZULT_UNLIKELY {
        run_visit(*among, wanted, mine, resolve_threads(*mine.running, wanted.threads));
        return;
    }
    begin_region(wanted);
    wanted.function(wanted.data);
    end_region();
}

}  // namespace lazult::omp
