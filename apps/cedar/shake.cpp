// SPDX-License-Identifier: BSD-3-Clause
#include "apps/cedar/shake.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>

namespace cedar {
namespace {

// A bond that has turned by nearly a right angle since `before` cannot be held along it.
constexpr double least_cosine = 1e-3;

[[noreturn]] void fail(const topology& of, const bond& which, double found,
                       const std::string& why) {
    throw shake_error(fmt::format(
        "SHAKE: the bond of atom {} ({}) and atom {} ({}) {}: its length is {:.6g} nm, not {:.6g}; "
        "a shorter time step may help",
        which.i, of.atoms[which.i].name, which.j, of.atoms[which.j].name, why, found,
        which.length));
}

// Whether the bond had to be moved.
bool hold(const topology& of, const bond& which, std::span<const vector3> before,
          std::span<vector3> after, index first_atom, double tolerance) {
    const index i = which.i - first_atom;
    const index j = which.j - first_atom;
    const vector3 now = after[i] - after[j];
    const double square_of_length = which.length * which.length;
    const double excess = square(now) - square_of_length;
    if (std::abs(excess) <= 2 * tolerance * square_of_length) {
        return false;
    }
    const vector3 along = before[i] - before[j];
    const double product = dot(now, along);
    if (!(product > least_cosine * square_of_length)) {
        fail(of, which, length(now), "has turned too far in one step");
    }
    const double inverse_i = 1 / of.atoms[which.i].mass;
    const double inverse_j = 1 / of.atoms[which.j].mass;
    const double by = excess / (2 * (inverse_i + inverse_j) * product);
    after[i] -= (by * inverse_i) * along;
    after[j] += (by * inverse_j) * along;
    return true;
}

// Names the bond that is farthest from its length.
[[noreturn]] void fail_after(const topology& of, const molecule& which, std::span<const bond> bonds,
                             std::span<const vector3> after, unsigned sweeps) {
    const bond* worst = &bonds.front();
    double largest = 0;
    double found = 0;
    for (const bond& each : bonds) {
        const double now =
            length(after[each.i - which.first_atom] - after[each.j - which.first_atom]);
        const double excess = std::abs(now / each.length - 1);
        if (!(excess <= largest)) {
            largest = excess;
            found = now;
            worst = &each;
        }
    }
    fail(of, *worst, found, fmt::format("is not held after {} sweeps", sweeps));
}

}  // namespace

unsigned shake(const topology& of, const molecule& which, std::span<const vector3> before,
               std::span<vector3> after, const shake_limits& limits) {
    const auto bonds = std::span(of.bonds).subspan(which.first_bond, which.bonds);
    for (unsigned sweep = 1; sweep <= limits.sweeps; ++sweep) {
        bool is_any_moved = false;
        for (const bond& each : bonds) {
            is_any_moved |= hold(of, each, before, after, which.first_atom, limits.tolerance);
        }
        if (!is_any_moved) {
            return sweep;
        }
    }
    fail_after(of, which, bonds, after, limits.sweeps);
}

}  // namespace cedar
