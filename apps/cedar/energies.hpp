// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "apps/cedar/fixed_point.hpp"

#include <array>
#include <cstddef>
#include <numeric>

namespace cedar {

enum class term : std::size_t { bond, angle, dihedral, scaled_pair, lennard_jones, coulomb };
inline constexpr std::size_t terms = 6;
inline constexpr std::array<const char*, terms> term_names{
    "bond", "angle", "dihedral", "scaled_pair", "lennard_jones", "coulomb"};

// In kJ/mol, by term.
struct energies {
    std::array<double, terms> of{};

    double& operator[](term which) { return of[static_cast<std::size_t>(which)]; }
    double operator[](term which) const { return of[static_cast<std::size_t>(which)]; }
    double sum() const { return std::accumulate(of.begin(), of.end(), 0.0); }
};

// Their sums do not depend on the order, as those of the forces.
struct energy_sums {
    std::array<fixed, terms> of{};

    energy_sums& operator+=(const energies& more) {
        for (std::size_t which = 0; which < terms; ++which) {
            add_fixed(of[which], to_fixed(more.of[which]));
        }
        return *this;
    }
    energy_sums& operator+=(const energy_sums& more) {
        for (std::size_t which = 0; which < terms; ++which) {
            add_fixed(of[which], more.of[which]);
        }
        return *this;
    }
    energies values() const {
        energies result;
        for (std::size_t which = 0; which < terms; ++which) {
            result.of[which] = to_double(of[which]);
        }
        return result;
    }
};

}  // namespace cedar
