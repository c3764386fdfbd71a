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

}  // namespace radiosity
