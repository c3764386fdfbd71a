// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "apps/cedar/topology.hpp"
#include "apps/cedar/vector3.hpp"

namespace cedar {

// Presses a chain into a sphere about the origin. Bonds and angles nearly keep their sizes, and
// beads that are no near neighbours keep apart. Steepest descent does the rest.
void compact(const topology& chain, double radius, std::vector<vector3>& positions);

}  // namespace cedar
