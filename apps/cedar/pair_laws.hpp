// SPDX-License-Identifier: BSD-3-Clause
// Energy and force of two atoms, by the square of their distance.
#pragma once

#include "apps/cedar/settings.hpp"

#include <array>
#include <cmath>

namespace cedar {

struct pair_parameters {
    double charges;  // product of the charges, times the Coulomb constant
    double c6;
    double c12;
};

struct pair_result {
    double lennard_jones;
    double coulomb;
    double force_by_distance;
};

// Pairs are chosen elsewhere: by the distance of whole groups.
class truncated_law {
public:
    static constexpr bool is_by_atoms = false;

    explicit truncated_law(double cutoff) : square_of_cutoff_(cutoff * cutoff) {}

    double square_of_cutoff() const { return square_of_cutoff_; }

    pair_result operator()(double square, const pair_parameters& of) const {
        const double inverse = 1 / std::sqrt(square);
        const double inverse_square = inverse * inverse;
        const double power_6 = inverse_square * inverse_square * inverse_square;
        const double attraction = of.c6 * power_6;
        const double repulsion = of.c12 * power_6 * power_6;
        const double coulomb = of.charges * inverse;
        return {repulsion - attraction, coulomb,
                (12 * repulsion - 6 * attraction + coulomb) * inverse_square};
    }

private:
    double square_of_cutoff_;
};

// Shifted forces: of each power r^-n the force is less by its value at the cutoff R, so the energy
// is r^-n - (n + 1) R^-n + n R^-(n + 1) r, and 0 beyond R.
class shifted_law {
public:
    static constexpr bool is_by_atoms = true;

    explicit shifted_law(double cutoff)
        : square_of_cutoff_(cutoff * cutoff),
          coulomb_(cutoff, 1),
          attraction_(cutoff, 6),
          repulsion_(cutoff, 12) {}

    double square_of_cutoff() const { return square_of_cutoff_; }

    // Without a branch: about half of the pairs near the cutoff are beyond it.
    pair_result operator()(double square, const pair_parameters& of) const {
        const double within = square < square_of_cutoff_ ? 1.0 : 0.0;
        const double inverse = 1 / std::sqrt(square);
        const double distance = square * inverse;
        const double inverse_square = inverse * inverse;
        const double power_6 = inverse_square * inverse_square * inverse_square;
        const double power_12 = power_6 * power_6;
        const double charges = within * of.charges;
        const double c6 = within * of.c6;
        const double c12 = within * of.c12;
        const double force =
            12 * c12 * power_12 - 6 * c6 * power_6 + charges * inverse;  // times the distance
        const double at_cutoff =
            c12 * repulsion_.force - c6 * attraction_.force + charges * coulomb_.force;
        return {c12 * (power_12 - repulsion_.energy + repulsion_.force * distance) -
                    c6 * (power_6 - attraction_.energy + attraction_.force * distance),
                charges * (inverse - coulomb_.energy + coulomb_.force * distance),
                force * inverse_square - at_cutoff * inverse};
    }

private:
    struct shift_of_power {
        shift_of_power(double cutoff, int n)
            : energy((n + 1) * std::pow(cutoff, -n)), force(n * std::pow(cutoff, -n - 1)) {}
        double energy;
        double force;
    };

    double square_of_cutoff_;
    shift_of_power coulomb_;
    shift_of_power attraction_;
    shift_of_power repulsion_;
};

}  // namespace cedar
