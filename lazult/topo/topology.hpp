// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "lazult/topo/discovery.hpp"

namespace lazult::topo {

// The processors that this process may use, numbered 0, 1, ... in the machine's order, so that
// neighbours share the most. It never changes after construction, so all threads may read it.
class topology {
public:
    // Reads this machine, or a made-up one if HWLOC_SYNTHETIC or a similar variable says so.
    topology();
    // Makes a machine from a description for hwloc: "package:2 l3:1 core:4 pu:2". Throws
    // std::invalid_argument if hwloc does not understand it, or if this build has no hwloc.
    explicit topology(const std::string& synthetic);

    int processors() const noexcept { return static_cast<int>(locations_.size()); }
    int cores() const noexcept { return cores_; }
    int numa_nodes() const noexcept { return numa_nodes_; }
    // Returns true if this is not the machine on which the process runs; then nothing is bound.
    bool is_synthetic() const noexcept { return synthetic_; }
    // Returns the system's number of this processor.
    int system_processor(int processor) const;

    // Returns 0 for the same processor, 1 for the same core, 2 for the same cache, 3 for the same
    // NUMA node or package, else 4.
    int distance(int processor_a, int processor_b) const;

    // Returns false for an unknown processor, a synthetic machine, or if the system refuses.
    bool bind_this_thread(int processor) const;

    // Returns several lines of text for `lazult info`.
    std::string describe() const;

private:
    explicit topology(discovery&& found);
    const location& at(int processor) const;

    std::vector<location> locations_;
    int cores_ = 0;
    int numa_nodes_ = 0;
    bool synthetic_ = false;
    std::string origin_;
};

// Returns this machine, which the first call reads.
const topology& machine();

}  // namespace lazult::topo
