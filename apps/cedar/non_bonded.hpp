// SPDX-License-Identifier: BSD-3-Clause
// Lennard-Jones and Coulomb forces between the groups of two cells.
#pragma once

#include "apps/cedar/energies.hpp"
#include "apps/cedar/neighbours.hpp"

namespace cedar {

// What an atom has for its non-bonded forces: a pair's parameters are products of these, which is
// the geometric rule.
struct site {
    double charge;    // times the root of the Coulomb constant
    double root_c6;   // of 4 epsilon sigma^6
    double root_c12;  // of 4 epsilon sigma^12
};

site site_of(const atom& of);

struct cell_view {
    std::span<const placed_group> groups;
    std::span<const site> sites;
    std::span<const vector3> positions;
};

// The forces of one pair of cells, in doubles, which are summed in the order of the list. They are
// rounded once, when they are added to the sums of a cell. Each thread has its own.
struct pair_forces {
    std::vector<vector3> on_a;
    std::vector<vector3> on_b;  // empty if a is b
    std::vector<vector3> centres_a;
    std::vector<vector3> centres_b;

    std::span<vector3> second() { return on_b.empty() ? std::span(on_a) : std::span(on_b); }
};

// Needs the positions of both cells, and nothing else that moves. Overwrites `forces`.
energies non_bonded_forces(const pair_list& list, const force_settings& settings,
                           const cell_view& a, const cell_view& b, pair_forces& forces);

void add_rounded(std::span<const vector3> forces, std::span<fixed3> sums);

}  // namespace cedar
