// SPDX-License-Identifier: BSD-3-Clause
#include "apps/cedar/command_line.hpp"

#include "apps/cedar/units.hpp"

#include <CLI/CLI.hpp>

namespace cedar {
namespace {

void declare_system(CLI::App& app, arguments& given) {
    auto* const residues =
        app.add_option("--residues", given.wanted.chain.residues, "residues of the chain")
            ->check(CLI::Range(0, 10000))
            ->capture_default_str();
    app.add_option("--waters", given.wanted.waters, "molecules of water")
        ->check(CLI::Range(0, 1000000))
        ->capture_default_str();
    app.add_option("--seed", given.seed, "of the chain, the waters and the velocities")
        ->capture_default_str();
    app.add_option("--chain", given.chain, "chain:RESIDUES:SEED, in place of --residues")
        ->excludes(residues);
    app.add_option("--minimise", given.wanted.descent_steps, "steps of steepest descent before")
        ->check(CLI::Range(0, 100000))
        ->capture_default_str();
}

void declare_forces(CLI::App& app, arguments& given) {
    force_settings& forces = given.wanted.forces;
    app.add_option("--law", given.law,
                   "at the cutoff: truncated, by whole charge groups, or shifted forces, by atoms")
        ->check(CLI::IsMember({"truncated", "shifted"}))
        ->capture_default_str();
    app.add_option("--cutoff", forces.cutoff, "in nm")->capture_default_str();
    app.add_option("--list", forces.list_range, "range of the list of neighbours, in nm")
        ->capture_default_str();
    app.add_option("--cells-per-range", forces.cells_per_range,
                   "cells that are as wide together as the range of the list")
        ->check(CLI::Range(1, 8))
        ->capture_default_str();
    app.add_flag("--springs", forces.with_springs, "bonds are springs, and SHAKE does nothing");
}

void declare_steps(CLI::App& app, arguments& given) {
    step_settings& steps = given.wanted.dynamics;
    app.add_option("--steps", given.wanted.steps, "steps of the run")
        ->check(CLI::Range(1, 100000000))
        ->capture_default_str();
    app.add_option("--dt", given.femtoseconds, "time step, in fs")->capture_default_str();
    app.add_option("--temperature", steps.temperature, "of the first velocities, in K")
        ->capture_default_str();
    app.add_option("--tolerance", steps.limits.tolerance, "of SHAKE, relative")
        ->capture_default_str();
    app.add_option("--json", given.json, "write what was found there");
}

}  // namespace

void declare(CLI::App& app, arguments& given) {
    declare_system(app, given);
    declare_forces(app, given);
    declare_steps(app, given);
}

request request_of(const arguments& given) {
    request wanted = given.wanted;
    wanted.chain.seed = given.seed;
    if (!given.chain.empty()) {
        wanted.chain = parse_chain(given.chain);
    }
    wanted.waters_seed = given.seed;
    wanted.dynamics.seed = given.seed;
    wanted.dynamics.time_step = given.femtoseconds * femtosecond;
    wanted.forces.law = given.law == "shifted" ? cutoff_law::shifted : cutoff_law::truncated;
    return wanted;
}

}  // namespace cedar
