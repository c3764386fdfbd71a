// SPDX-License-Identifier: BSD-3-Clause
// SHAKE: holds the bonds of one molecule at their lengths.
#pragma once

#include "apps/cedar/topology.hpp"
#include "apps/cedar/vector3.hpp"

#include <stdexcept>

namespace cedar {

struct shake_limits {
    double tolerance = 1e-4;  // of a length, relative
    unsigned sweeps = 1000;
};

// Names the bond that is not held.
class shake_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// The positions are those of the molecule's atoms. Moves `after` along the bonds as they were
// `before`, bond by bond in the topology's order, until each has its length. Returns the sweeps.
unsigned shake(const topology& of, const molecule& which, std::span<const vector3> before,
               std::span<vector3> after, const shake_limits& limits);

}  // namespace cedar
