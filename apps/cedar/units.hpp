// SPDX-License-Identifier: BSD-3-Clause
// The units are nm, ps, u, e and kJ/mol: 1 u nm^2/ps^2 is 1 kJ/mol.
#pragma once

#include <numbers>

namespace cedar {

// 1 / (4 pi eps0), in kJ/mol nm e^-2.
inline constexpr double coulomb_constant = 138.935458;
// In kJ/mol/K.
inline constexpr double boltzmann_constant = 0.0083144626;
// 1 g/cm^3, in u/nm^3.
inline constexpr double gram_per_cubic_centimetre = 602.214076;
inline constexpr double femtosecond = 0.001;

constexpr double degrees(double angle) { return angle * std::numbers::pi / 180; }

}  // namespace cedar
