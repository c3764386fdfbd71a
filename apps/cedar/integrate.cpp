// SPDX-License-Identifier: BSD-3-Clause
#include "apps/cedar/integrate.hpp"

namespace cedar {

std::size_t leap_frog(const moving_atoms& atoms, double time_step) {
    std::size_t lost = nobody;
    for (std::size_t each = 0; each < atoms.positions.size(); ++each) {
        atoms.velocities[each] +=
            (time_step * atoms.inverse_masses[each]) * to_double(atoms.forces[each]);
        const vector3 step = time_step * atoms.velocities[each];
        atoms.positions[each] += step;
        if (!(square(step) < longest_step * longest_step)) {
            lost = each;
        }
    }
    return lost;
}

void velocities_from(std::span<const vector3> before, std::span<const vector3> after,
                     double time_step, std::span<vector3> velocities) {
    for (std::size_t each = 0; each < before.size(); ++each) {
        velocities[each] = (1 / time_step) * (after[each] - before[each]);
    }
}

double kinetic_energy(std::span<const double> inverse_masses, std::span<const vector3> velocities) {
    double sum = 0;
    for (std::size_t each = 0; each < velocities.size(); ++each) {
        sum += 0.5 / inverse_masses[each] * square(velocities[each]);
    }
    return sum;
}

}  // namespace cedar
