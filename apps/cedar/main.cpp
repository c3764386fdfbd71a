// SPDX-License-Identifier: BSD-3-Clause
// IC-Cedar: molecular dynamics of a chain like a protein in water, as one program. Times by phase.
#include "apps/cedar/report.hpp"
#include "apps/cedar/units.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <exception>

namespace {

struct arguments {
    cedar::request wanted;
    std::uint64_t seed = 1;
    std::string chain;
    double femtoseconds = 2;
    std::string law = "truncated";
    std::string json;
};

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
    cedar::force_settings& forces = given.wanted.forces;
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
    app.add_option("--owners", forces.owners,
                   "owners among which the cells are shared out; the result is the same")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str();
    app.add_flag("--springs", forces.with_springs, "bonds are springs, and SHAKE does nothing");
}

void declare_steps(CLI::App& app, arguments& given) {
    cedar::step_settings& steps = given.wanted.dynamics;
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

cedar::request request_of(const arguments& given) {
    cedar::request wanted = given.wanted;
    wanted.chain.seed = given.seed;
    if (!given.chain.empty()) {
        wanted.chain = cedar::parse_chain(given.chain);
    }
    wanted.waters_seed = given.seed;
    wanted.dynamics.seed = given.seed;
    wanted.dynamics.time_step = given.femtoseconds * cedar::femtosecond;
    wanted.forces.law =
        given.law == "shifted" ? cedar::cutoff_law::shifted : cedar::cutoff_law::truncated;
    return wanted;
}

void run(const arguments& given) {
    const cedar::request wanted = request_of(given);
    const cedar::findings found = cedar::conduct(wanted);
    fmt::print("{}", cedar::describe(wanted, found));
    if (!given.json.empty()) {
        cedar::write_json(given.json, cedar::to_json(wanted, found));
    }
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Molecular dynamics of a chain like a protein in water");
    arguments given;
    declare_system(app, given);
    declare_forces(app, given);
    declare_steps(app, given);
    try {
        app.parse(argc, argv);
        run(given);
    } catch (const CLI::Error& error) {
        return app.exit(error);
    } catch (const std::exception& error) {
        fmt::print(stderr, "iccedar: {}\n", error.what());
        return 2;
    }
}
