// SPDX-License-Identifier: BSD-3-Clause
// Iterations until the energy stays, by each version of the program.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "apps/radiosity/gather.hpp"
#include "apps/radiosity/world.hpp"

namespace radiosity {

struct settings {
    limits within;
    double energy = 0.005;  // the largest relative change of the last iteration
    std::size_t iterations = 100;
    update how = update::jacobi;
    std::size_t workers = 1;  // threads of OpenMP; the streams of Lazult are those of its runtime
};

struct outcome {
    std::size_t iterations = 0;
    bool converged = false;
    std::vector<double> seconds;  // of each iteration
    double energy = 0;
    double total_seconds() const;
};

struct version {
    std::string name;
    outcome (*solve)(world& all, const settings& with);
};

outcome solve_sequentially(world& all, const settings& with);
outcome solve_by_tasks(world& all, const settings& with);
outcome solve_by_openmp(world& all, const settings& with);
bool has_openmp();

// Those that this build has.
std::vector<version> versions();

// Throws std::invalid_argument, which names those that there are.
version version_named(const std::string& name);
update update_named(const std::string& name);
std::string name_of(update how);
// Throws std::invalid_argument for a number that makes no sense.
void check(const settings& with);

// Whether the total is as good as that of the iteration before.
bool is_steady(double total, double before, double allowed);
double now_in_seconds();

template <class Fork>
outcome solve(world& all, const settings& with, const Fork& fork) {
    const gathering as{all.among, with.within, with.how};
    outcome found;
    found.energy = total_energy(all);
    while (!found.converged && found.iterations < with.iterations) {
        const double start = now_in_seconds();
        iterate(all, as, fork);
        found.seconds.push_back(now_in_seconds() - start);
        ++found.iterations;
        const double total = total_energy(all);
        found.converged = is_steady(total, found.energy, with.energy);
        found.energy = total;
    }
    return found;
}

}  // namespace radiosity
