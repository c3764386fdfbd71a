// SPDX-License-Identifier: BSD-3-Clause
// The options of programs that run on simulated ranks.
#pragma once

#include <CLI/CLI.hpp>

#include "apps/common/simulated_ranks.hpp"

namespace simulated_ranks {

inline void declare(CLI::App& app, request& wanted) {
    CLI::Option* const simulate = app.add_option(
        "--simulate", wanted.machine,
        "t3d: on simulated ranks of a Cray T3D, in all versions, in place of MPI's ranks; "
        "t3d-slices: with loops that give way");
    app.add_option("--ranks", wanted.ranks, "of each simulation, with commas")
        ->delimiter(',')
        ->check(CLI::Range(1, 1024))
        ->needs(simulate)
        ->capture_default_str();
    app.add_option("--slower", wanted.slower,
                   "computing takes so many times as long on the simulated machine")
        ->needs(simulate)
        ->capture_default_str();
}

}  // namespace simulated_ranks
