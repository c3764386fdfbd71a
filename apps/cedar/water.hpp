// SPDX-License-Identifier: BSD-3-Clause
// SPC water: O, H and H, held by three bonds, the third of them between the hydrogens.
#pragma once

#include "apps/cedar/topology.hpp"
#include "apps/cedar/vector3.hpp"

namespace cedar {

inline constexpr double water_bond = 0.1;      // nm
inline constexpr double water_angle = 109.47;  // degrees
inline constexpr double water_mass = 18.0154;  // u
inline constexpr double water_density = 1;     // g/cm^3

// In nm^3: of these many molecules.
double water_volume(index waters);

topology water_topology(index waters);

// A jittered cubic lattice that fills the box, turned at random. Where there are beads of a chain,
// the sites that are nearest to them stay empty.
std::vector<vector3> place_waters(index waters, double box_edge, std::span<const vector3> beads,
                                  std::uint64_t seed);

}  // namespace cedar
