// SPDX-License-Identifier: BSD-3-Clause
// Leap-frog: velocities are known half a step before and after the positions.
#pragma once

#include "apps/cedar/fixed_point.hpp"

#include <cstddef>
#include <span>

namespace cedar {

// The atoms of a cell.
struct moving_atoms {
    std::span<const double> inverse_masses;
    std::span<const fixed3> forces;
    std::span<vector3> positions;
    std::span<vector3> velocities;
};

inline constexpr std::size_t nobody = static_cast<std::size_t>(-1);
// What moves farther than this in one step, in nm, has exploded.
inline constexpr double longest_step = 0.1;

// Returns an atom that moved too far, or nobody.
std::size_t leap_frog(const moving_atoms& atoms, double time_step);

// After SHAKE moved the positions.
void velocities_from(std::span<const vector3> before, std::span<const vector3> after,
                     double time_step, std::span<vector3> velocities);

double kinetic_energy(std::span<const double> inverse_masses, std::span<const vector3> velocities);

}  // namespace cedar
