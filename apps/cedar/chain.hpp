// SPDX-License-Identifier: BSD-3-Clause
// A chain of residues that is folded like a protein: a generator, since no data are fetched.
//
// A residue has five beads: N, CA, CB, C and O. N, CA and CB stand for their hydrogens, too, and CB
// for the whole side chain. Bond lengths and angles of the backbone are those of peptides. A
// residue has the mean mass of those of proteins, and no charge in sum.
#pragma once

#include "apps/cedar/topology.hpp"
#include "apps/cedar/vector3.hpp"

#include <string_view>

namespace cedar {

inline constexpr index beads = 5;
inline constexpr double residue_mass = 110;      // u
inline constexpr double protein_density = 1.35;  // g/cm^3

struct chain_request {
    index residues = 0;
    std::uint64_t seed = 0;
};

// Reads "chain:L:seed". Throws std::invalid_argument.
chain_request parse_chain(std::string_view text);

// In nm^3: what the chain would take as a protein.
double chain_volume(index residues);

// Of a sphere of that volume.
double chain_radius(index residues);

topology chain_topology(const chain_request& wanted);

// A walk that avoids itself, in a sphere about the origin that is larger than the chain's, since a
// walk finds no way through a dense one; then pressed into the chain's own sphere.
std::vector<vector3> fold_chain(const chain_request& wanted);

}  // namespace cedar
