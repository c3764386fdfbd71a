// SPDX-License-Identifier: BSD-3-Clause
// Reads the topology; only topology.cpp uses this.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace lazult::topo {

// The place of one processor. Processors with equal numbers share that part. -1: unknown, and
// shared with no other processor.
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

// Returns what hwloc finds. If `synthetic` is not null, hwloc makes a machine from that
// description. Returns nothing if hwloc fails.
std::optional<discovery> discover_with_hwloc(const std::string* synthetic);

// Returns what the system tells without hwloc: which processors, and nothing about what they share.
discovery discover_plainly();

}  // namespace lazult::topo
