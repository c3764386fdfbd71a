// SPDX-License-Identifier: BSD-3-Clause
// What a simulation begins from: molecules in a box.
#pragma once

#include "apps/cedar/chain.hpp"
#include "apps/cedar/topology.hpp"
#include "apps/cedar/vector3.hpp"

namespace cedar {

struct assembly {
    topology molecules;
    std::vector<vector3> positions;  // by atom
    double box_edge = 0;
};

// A chain of residues in water, or either alone: see chain.hpp and water.hpp.
assembly assemble(const chain_request& chain, index waters, std::uint64_t waters_seed);

}  // namespace cedar
