// SPDX-License-Identifier: BSD-3-Clause
#include "apps/cedar/experiment.hpp"

#include "apps/cedar/progress.hpp"
#include "apps/cedar/units.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace cedar {
namespace {

double user_seconds_so_far() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return static_cast<double>(used.ru_utime.tv_sec) +
           1e-6 * static_cast<double>(used.ru_utime.tv_usec);
}

double largest_bond_error(simulation& of) {
    const std::vector<vector3> at = of.cells().positions_by_atom();
    double largest = 0;
    for (const bond& each : of.cells().molecules().bonds) {
        largest = std::max(largest, std::abs(length(at[each.i] - at[each.j]) / each.length - 1));
    }
    return largest;
}

}  // namespace

stopwatch::stopwatch()
    : began_(std::chrono::steady_clock::now()), user_seconds_before_(user_seconds_so_far()) {}

double stopwatch::seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
}

double stopwatch::user_seconds() const { return user_seconds_so_far() - user_seconds_before_; }

assembly prepare(const request& wanted, findings& found) {
    if (wanted.steps == 0) {
        throw std::invalid_argument("no steps are wanted");
    }
    const stopwatch assembling;
    assembly system = assemble(wanted.chain, wanted.waters, wanted.waters_seed);
    found.seconds_to_assemble = assembling.seconds();
    const stopwatch minimising;
    found.minimised = minimise(system, wanted.descent_steps, wanted.forces.cutoff);
    found.seconds_to_minimise = minimising.seconds();
    return system;
}

void note(const observation& seen, unsigned step, findings& found) {
    found.last = seen;
    found.mean_temperature += (seen.temperature - found.mean_temperature) / (step + 1);
    if (step == 0) {
        found.first = seen;
    }
}

void conclude(simulation& of, double box_edge, findings& found) {
    found.atoms = static_cast<index>(of.cells().molecules().atoms.size());
    found.box_edge = box_edge;
    found.cells = of.cells().cells().cells();
    const double mean_energy = boltzmann_constant * found.mean_temperature;
    found.drift = mean_energy > 0 ? (found.last.total() - found.first.total()) /
                                        (of.degrees_of_freedom() * mean_energy)
                                  : 0;
    const double sum = of.sum_of_momenta();
    found.relative_momentum = sum > 0 ? length(of.momentum()) / sum : 0;
    found.bond_error = largest_bond_error(of);
    found.renewals = of.cells().renewals();
    found.checksum = of.checksum();
}

findings conduct(const request& wanted) {
    findings found;
    const assembly system = prepare(wanted, found);
    simulation dynamics(system, wanted.forces, wanted.dynamics);
    dynamics.forget_times();
    progress shown("step", wanted.steps);
    const stopwatch stepping;
    for (unsigned step = 0; step < wanted.steps; ++step) {
        note(dynamics.step(), step, found);
        shown.at(step + 1);
    }
    found.seconds_of_steps = stepping.seconds();
    found.user_seconds_of_steps = stepping.user_seconds();
    found.times = dynamics.times();
    conclude(dynamics, system.box_edge, found);
    return found;
}

}  // namespace cedar
