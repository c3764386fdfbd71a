// SPDX-License-Identifier: BSD-3-Clause
#include "apps/cedar/compact.hpp"

#include <algorithm>
#include <cmath>

namespace cedar {
namespace {

constexpr unsigned rounds_of_pressing = 300;
constexpr unsigned rounds_of_rest = 300;
constexpr unsigned sweeps_of_holding = 4;
constexpr double least_distance = 0.3;       // nm, of beads that are no near neighbours
constexpr double least_between_sides = 0.4;  // of the beads of two side chains
constexpr double side_sigma = 0.4;           // beads above that are side chains
constexpr double flat_peptide = 0.38;        // nm, from CA to CA

struct distance {
    index i, j;
    double wanted;
};

double bond_length(const topology& of, index i, index j) {
    const auto found = std::ranges::find_if(of.bonds, [&](const bond& each) {
        return (each.i == i && each.j == j) || (each.i == j && each.j == i);
    });
    return found->length;
}

// Those that bonds, angles and the dihedral angles of stiff peptides hold.
std::vector<distance> held_distances(const topology& of) {
    std::vector<distance> all;
    all.reserve(of.bonds.size() + of.angles.size() + of.dihedrals.size());
    for (const bond& each : of.bonds) {
        all.push_back({each.i, each.j, each.length});
    }
    for (const angle& each : of.angles) {
        const double one = bond_length(of, each.i, each.j);
        const double other = bond_length(of, each.j, each.k);
        const double wanted =
            std::sqrt(one * one + other * other - 2 * one * other * std::cos(each.rest));
        all.push_back({each.i, each.k, wanted});
    }
    for (const dihedral& each : of.dihedrals) {
        const bool is_peptide = of.atoms[each.i].name.starts_with("CA");
        if (is_peptide && of.atoms[each.l].name.starts_with("CA")) {
            all.push_back({each.i, each.l, flat_peptide});
        }
    }
    return all;
}

std::vector<distance> least_distances(const topology& of) {
    std::vector<distance> all;
    for (index i = 0; i < of.atoms.size(); ++i) {
        for (index j = i + 1; j < of.atoms.size(); ++j) {
            if (!of.is_excluded(i, j)) {
                const bool are_sides = std::min(of.atoms[i].sigma, of.atoms[j].sigma) > side_sigma;
                all.push_back({i, j, are_sides ? least_between_sides : least_distance});
            }
        }
    }
    return all;
}

void move_apart(const distance& of, double by, std::vector<vector3>& positions) {
    const vector3 apart = positions[of.i] - positions[of.j];
    const vector3 half = (by / (2 * length(apart))) * apart;
    positions[of.i] += half;
    positions[of.j] -= half;
}

void press(double radius, std::vector<vector3>& positions) {
    for (vector3& each : positions) {
        const double from_centre = length(each);
        if (from_centre > radius) {
            each = (radius / from_centre) * each;
        }
    }
}

void keep_apart(const std::vector<distance>& least, std::vector<vector3>& positions) {
    for (const distance& each : least) {
        const double found = square(positions[each.i] - positions[each.j]);
        if (found < each.wanted * each.wanted) {
            move_apart(each, each.wanted - std::sqrt(found), positions);
        }
    }
}

void hold(const std::vector<distance>& held, std::vector<vector3>& positions) {
    for (const distance& each : held) {
        const double found = length(positions[each.i] - positions[each.j]);
        move_apart(each, each.wanted - found, positions);
    }
}

}  // namespace

void compact(const topology& chain, double radius, std::vector<vector3>& positions) {
    const std::vector<distance> held = held_distances(chain);
    const std::vector<distance> least = least_distances(chain);
    double farthest = radius;
    for (const vector3& each : positions) {
        farthest = std::max(farthest, length(each));
    }
    for (unsigned round = 1; round <= rounds_of_pressing + rounds_of_rest; ++round) {
        const double part = std::min(1.0, static_cast<double>(round) / rounds_of_pressing);
        press(farthest + part * (radius - farthest), positions);
        keep_apart(least, positions);
        for (unsigned sweep = 0; sweep < sweeps_of_holding; ++sweep) {
            hold(held, positions);
        }
    }
}

}  // namespace cedar
