// SPDX-License-Identifier: BSD-3-Clause
// How a topology is read; only topology.cpp asks.
#pragma once

#include "lazult/topo/topology.hpp"

#include <optional>
#include <string>
#include <vector>

namespace lazult::topo {

struct discovery {
    std::vector<topology::place> places;
    bool synthetic = false;
    std::string origin;
};

// With an argument: the machine that hwloc makes of this description. Nothing when that fails.
std::optional<discovery> discover_with_hwloc(const std::string* synthetic);

// What the system says without hwloc: how many processors, and nothing about what they share.
discovery discover_plainly();

}  // namespace lazult::topo
