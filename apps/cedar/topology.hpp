// SPDX-License-Identifier: BSD-3-Clause
// What the atoms are and how they hang together. It does not change while they move.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace cedar {

using index = std::uint32_t;

struct atom {
    std::string name;
    double mass;
    double charge;
    // Lennard-Jones: sigma (nm) and epsilon (kJ/mol).
    double sigma;
    double epsilon;
};

// 1/2 stiffness (r - length)^2 where bonds are springs, else a constraint for SHAKE.
struct bond {
    index i, j;
    double length;
    double stiffness;
};

// 1/2 stiffness (theta - rest)^2, j in the middle.
struct angle {
    index i, j, k;
    double rest;
    double stiffness;
};

// height (1 + cos(multiplicity phi - phase)), about the axis from j to k.
struct dihedral {
    index i, j, k, l;
    double height;
    double multiplicity;
    double phase;
};

// Three bonds apart: they interact by half.
struct scaled_pair {
    index i, j;
};

// A charge group: consecutive atoms, which are within the cutoff or beyond it as one.
struct group {
    index first;
    index atoms;
    bool is_water;
};

// Consecutive atoms, and the bonds among them, which are consecutive, too.
struct molecule {
    index first_atom;
    index atoms;
    index first_bond;
    index bonds;
};

inline constexpr index largest_group = 5;

struct topology {
    std::vector<atom> atoms;
    std::vector<bond> bonds;
    std::vector<angle> angles;
    std::vector<dihedral> dihedrals;
    std::vector<scaled_pair> scaled_pairs;
    std::vector<group> groups;
    std::vector<molecule> molecules;
    // For each atom the later ones that are left out of the non-bonded forces, ascending.
    std::vector<std::vector<index>> exclusions;

    bool is_excluded(index i, index j) const;
    // Adds the other's atoms behind these.
    void append(const topology& other);
    // From the bonds: excludes pairs that are one, two or three bonds apart, and scales the last.
    void exclude_neighbours();
    double mass() const;
};

}  // namespace cedar
