// SPDX-License-Identifier: BSD-3-Clause
#include "apps/radiosity/light.hpp"

namespace radiosity {

colour arriving(const coupling& with, const colour& source) {
    return with.factor.value * with.visibility * source;
}

colour gathered(const colour& own, const std::array<colour, 4>& by_children) {
    return own + 0.25 * (by_children[0] + by_children[1] + by_children[2] + by_children[3]);
}

colour radiosity_of(const record& element, const colour& from_parents, const colour& gathered) {
    return from_parents + gathered + element.emittance;
}

double energy_of(const record& element) { return element.area * sum(element.radiosity); }

namespace {

// Of one colour: of what arrives, a surface reflects one share and absorbs the other.
double absorbed_of(double radiosity, double emittance, double reflectance) {
    const double arriving = reflectance > 0 ? (radiosity - emittance) / reflectance : 0;
    return (1 - reflectance) * arriving;
}

}  // namespace

double absorbed_by(const record& leaf) {
    const colour& light = leaf.radiosity;
    const colour& own = leaf.emittance;
    const colour& paint = leaf.reflectance;
    return leaf.area * (absorbed_of(light.red, own.red, paint.red) +
                        absorbed_of(light.green, own.green, paint.green) +
                        absorbed_of(light.blue, own.blue, paint.blue));
}

}  // namespace radiosity
