// SPDX-License-Identifier: BSD-3-Clause
#include "apps/radiosity/run.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace radiosity {
namespace {

constexpr double against_zero = 1e-4;

std::string names_of(const std::vector<version>& all) {
    std::string names;
    for (const version& one : all) {
        names += (names.empty() ? "" : ", ") + one.name;
    }
    return names;
}

}  // namespace

double outcome::total_seconds() const {
    return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

std::vector<version> versions() {
    std::vector<version> all{{"sequential", solve_sequentially}, {"tasks", solve_by_tasks}};
    if (has_openmp()) {
        all.push_back({"openmp", solve_by_openmp});
    }
    return all;
}

version version_named(const std::string& name) {
    const std::vector<version> all = versions();
    const auto found = std::ranges::find(all, name, &version::name);
    if (found == all.end()) {
        throw std::invalid_argument("there is no version '" + name + "' here: " + names_of(all));
    }
    return *found;
}

update update_named(const std::string& name) {
    if (name == "jacobi") {
        return update::jacobi;
    }
    if (name == "in-place") {
        return update::in_place;
    }
    throw std::invalid_argument("there is no mode '" + name + "': jacobi, in-place");
}

std::string name_of(update how) { return how == update::jacobi ? "jacobi" : "in-place"; }

void check(const settings& with) {
    if (!(with.within.error > 0)) {
        throw std::invalid_argument("the error of an interaction must be above 0");
    }
    if (!(with.within.area > 0)) {
        throw std::invalid_argument("the area of an element must be above 0");
    }
    if (!(with.energy > 0)) {
        throw std::invalid_argument("the change of energy must be above 0");
    }
    if (with.iterations == 0 || with.workers == 0) {
        throw std::invalid_argument("there must be an iteration and a worker at least");
    }
}

bool is_steady(double total, double before, double allowed) {
    return std::abs((total + against_zero) / (before + against_zero) - 1) <= allowed;
}

double now_in_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

}  // namespace radiosity
