// SPDX-License-Identifier: BSD-3-Clause
// Functions of gcc's interface: leagues of teams. On the host their initial threads run one after
// another, and each may use the whole machine.
#include <algorithm>

#include "abi/export.hpp"
#include "environment/environment.hpp"
#include "tasks/caller.hpp"
#include "tasks/kept_sharing.hpp"

using namespace lazult::omp;

namespace {

void set_thread_limit(std::uint32_t limit) noexcept {
    if (limit != 0) {
        variables_to_change().thread_limit = limit > INT_MAX ? UINT_MAX : limit;
    }
}

}  // namespace

extern "C" {

OMP_API void GOMP_teams_reg(region_function fn, void* data, unsigned teams, unsigned thread_limit,
                            unsigned) {
    constexpr std::uint32_t usual_teams = 3;
    const process_variables& all = variables();
    if (teams == 0) {
        teams = all.teams != 0 ? static_cast<std::uint32_t>(all.teams) : usual_teams;
    }
    if (thread_limit == 0) {
        thread_limit = static_cast<std::uint32_t>(all.teams_thread_limit);
    }
    icvs& mine = variables_to_change();
    team& region = *me().here->its_team;
    const icvs before = mine;
    set_thread_limit(thread_limit);
    const icvs inside = mine;
    for (std::uint32_t number = 0; number < teams; ++number) {
        region.league = {number, teams};
        mine = inside;
        fn(data);
    }
    region.league = {};
    mine = before;
}

// Called in a target region. Returns true once for each team of the league.
OMP_API bool GOMP_teams4(unsigned least, unsigned, unsigned thread_limit, bool is_first) {
    league_position& at = me().here->its_team->league;
    if (is_first) {
        set_thread_limit(thread_limit);
        at = {0, std::max(least, 1U)};
        return true;
    }
    if (at.number + 1 >= at.teams) {
        return false;
    }
    ++at.number;
    return true;
}

OMP_API void GOMP_teams(unsigned teams, unsigned thread_limit) {
    set_thread_limit(thread_limit);
    me().here->its_team->league = {0, std::max(teams, 1U)};
}
}
