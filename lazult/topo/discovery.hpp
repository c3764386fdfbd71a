// SPDX-License-Identifier: BSD-3-Clause
// How a topology is read; only topology.cpp asks.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace lazult::topo {

// Where one processor is. Equal numbers mean the same one; -1 is unknown, and shared with nobody.
struct location {
    int system_processor;
    int core;
    int cache;
    int numa_node;
    int package;
};

struct discovery {
    std::vector<location> processors;
    bool synthetic = false;
    std::string origin;
};

// With an argument: the machine that hwloc makes of this description. Nothing when that fails.
std::optional<discovery> discover_with_hwloc(const std::string* synthetic);

// What the system says without hwloc: how many processors, and nothing about what they share.
discovery discover_plainly();

}  // namespace lazult::topo
