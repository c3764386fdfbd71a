// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "lazult/topo/discovery.hpp"

namespace lazult::topo {

// The processors that this process may use, numbered 0, 1, ... in the machine's own order, so that
// neighbours share the most. Read once; nothing in it changes afterwards, and all threads may read
// it.
class topology {
public:
    // This machine, or what HWLOC_SYNTHETIC and its like say.
    topology();
    // A made-up machine in hwloc's words: "package:2 l3:1 core:4 pu:2". Throws
    // std::invalid_argument when hwloc does not understand it, or when there is no hwloc in this
    // build.
    explicit topology(const std::string& synthetic);

    int processors() const noexcept { return static_cast<int>(locations_.size()); }
    int cores() const noexcept { return cores_; }
    int numa_nodes() const noexcept { return numa_nodes_; }
    // Not the machine that we run on: binding is refused.
    bool is_synthetic() const noexcept { return synthetic_; }
    // What the system calls this processor.
    int system_processor(int processor) const;

    // 0 the same processor, 1 the same core, 2 the same cache, 3 the same NUMA node or package, 4
    // farther.
    int distance(int processor_a, int processor_b) const;

    // The `count` nearest other processors, nearest first; fewer when there are no more. Equally
    // far ones follow in a ring from this processor on, so that thieves do not all begin with the
    // same victim.
    std::vector<int> by_distance(int processor, int count) const;

    // False when the processor does not exist, the machine is synthetic or the system refuses.
    bool bind_this_thread(int processor) const;

    // Several lines, for `lazult info`.
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

// This machine, read at the first call.
const topology& machine();

}  // namespace lazult::topo
