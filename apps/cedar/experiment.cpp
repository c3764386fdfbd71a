// SPDX-License-Identifier: BSD-3-Clause
#include "apps/cedar/experiment.hpp"

#include "apps/cedar/units.hpp"

#include <chrono>
#include <stdexcept>

namespace cedar {
namespace {

template <typename Function>
double seconds_of(const Function& work) {
    const auto began = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

void run_steps(const request& wanted, simulation& of, findings& found) {
    double temperatures = 0;
    for (unsigned step = 0; step < wanted.steps; ++step) {
        found.last = of.step();
        temperatures += found.last.temperature;
        if (step == 0) {
            found.first = found.last;
        }
    }
    found.mean_temperature = temperatures / wanted.steps;
}

}  // namespace

findings conduct(const request& wanted) {
    if (wanted.steps == 0) {
        throw std::invalid_argument("no steps are wanted");
    }
    findings found;
    assembly system;
    found.seconds_to_assemble =
        seconds_of([&] { system = assemble(wanted.chain, wanted.waters, wanted.waters_seed); });
    found.seconds_to_minimise = seconds_of(
        [&] { found.minimised = minimise(system, wanted.descent_steps, wanted.forces.cutoff); });
    simulation dynamics(system, wanted.forces, wanted.dynamics);
    dynamics.forget_times();
    found.seconds_of_steps = seconds_of([&] { run_steps(wanted, dynamics, found); });
    found.atoms = static_cast<index>(system.molecules.atoms.size());
    found.box_edge = system.box_edge;
    found.cells = dynamics.cells().cells().cells();
    const double mean_energy = boltzmann_constant * found.mean_temperature;
    found.drift = mean_energy > 0 ? (found.last.total() - found.first.total()) /
                                        (dynamics.degrees_of_freedom() * mean_energy)
                                  : 0;
    const double sum = dynamics.sum_of_momenta();
    found.relative_momentum = sum > 0 ? length(dynamics.momentum()) / sum : 0;
    found.renewals = dynamics.cells().renewals();
    found.times = dynamics.times();
    found.checksum = dynamics.checksum();
    return found;
}

}  // namespace cedar
