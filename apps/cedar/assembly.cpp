// SPDX-License-Identifier: BSD-3-Clause
#include "apps/cedar/assembly.hpp"

#include "apps/cedar/chain.hpp"
#include "apps/cedar/water.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace cedar {
namespace {

constexpr double least_gap = 0.3;  // nm

}  // namespace

assembly assemble(const chain_request& chain, index waters, std::uint64_t waters_seed) {
    if (chain.residues == 0 && waters == 0) {
        throw std::invalid_argument("there is nothing in the box: no residues and no waters");
    }
    assembly result;
    result.box_edge = std::cbrt(chain_volume(chain.residues) + water_volume(waters));
    // What is left between the chain and its images is a layer of water.
    if (chain.residues > 0 && result.box_edge < 2 * chain_radius(chain.residues) + least_gap) {
        throw std::invalid_argument(
            fmt::format("there are too few waters, {}, for {} residues: the box is {:.3f} nm wide "
                        "and the chain {:.3f} nm",
                        waters, chain.residues, result.box_edge, 2 * chain_radius(chain.residues)));
    }
    result.positions = fold_chain(chain);
    const double middle = result.box_edge / 2;
    for (vector3& each : result.positions) {
        each += {middle, middle, middle};
    }
    const std::vector<vector3> water =
        place_waters(waters, result.box_edge, result.positions, waters_seed);
    result.positions.insert(result.positions.end(), water.begin(), water.end());
    result.molecules = chain_topology(chain);
    result.molecules.append(water_topology(waters));
    return result;
}

}  // namespace cedar
