// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/topo/topology.hpp"

#include "lazult/os/os.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

namespace lazult::topo {
namespace {

bool same(int a, int b) noexcept { return a >= 0 && a == b; }

// Returns the number of different parts of a kind. An unknown part counts as one of its own.
template <class Part>
int count_distinct(const std::vector<location>& processors, Part part) {
    std::set<int> known;
    int unknown = 0;
    for (const location& each : processors) {
        if (each.*part < 0) {
            ++unknown;
        } else {
            known.insert(each.*part);
        }
    }
    return static_cast<int>(known.size()) + unknown;
}

// Uses hwloc only if the environment is trusted: hwloc's variables name files and plugins.
discovery discover_machine() {
    std::optional<discovery> found;
    if (base::obeys_environment()) {
        found = discover_with_hwloc(nullptr);
    }
    return found ? *std::move(found) : discover_plainly();
}

discovery discover_synthetic(const std::string& synthetic) {
    std::optional<discovery> found = discover_with_hwloc(&synthetic);
    if (!found) {
        throw std::invalid_argument(
            "lazult: topology \"" + synthetic +
            "\": hwloc cannot build it; give something like \"package:2 core:4 pu:2\"");
    }
    return *std::move(found);
}

// "0-3 8 10-11"
std::string ranges(const std::vector<int>& ascending) {
    std::string text;
    for (std::size_t i = 0; i < ascending.size();) {
        std::size_t last = i;
        while (last + 1 < ascending.size() && ascending[last + 1] == ascending[last] + 1) {
            ++last;
        }
        text += (i == 0 ? "" : " ") + std::to_string(ascending[i]);
        text += last == i ? "" : "-" + std::to_string(ascending[last]);
        i = last + 1;
    }
    return text;
}

}  // namespace

topology::topology() : topology(discover_machine()) {}

topology::topology(const std::string& synthetic) : topology(discover_synthetic(synthetic)) {}

topology::topology(discovery&& found)
    : locations_(std::move(found.processors)),
      cores_(count_distinct(locations_, &location::core)),
      numa_nodes_(count_distinct(locations_, &location::numa_node)),
      synthetic_(found.synthetic),
      origin_(std::move(found.origin)) {}

const location& topology::at(int processor) const {
    return locations_.at(static_cast<std::size_t>(processor));
}

int topology::system_processor(int processor) const { return at(processor).system_processor; }

int topology::distance(int processor_a, int processor_b) const {
    const location& a = at(processor_a);
    const location& b = at(processor_b);
    if (processor_a == processor_b) {
        return 0;
    }
    if (same(a.core, b.core)) {
        return 1;
    }
    if (same(a.cache, b.cache)) {
        return 2;
    }
    return same(a.numa_node, b.numa_node) || same(a.package, b.package) ? 3 : 4;
}

bool topology::bind_this_thread(int processor) const {
    if (synthetic_ || processor < 0 || processor >= processors()) {
        return false;
    }
    return os::bind_this_thread(system_processor(processor));
}

std::string topology::describe() const {
    std::string text = "topology: " + std::to_string(processors()) + " processors, " +
                       std::to_string(cores_) + " cores, " + std::to_string(numa_nodes_) +
                       " NUMA nodes\n";
    text += "source: " + origin_ + (synthetic_ ? "; threads are not bound\n" : "\n");
    std::set<int> nodes;
    for (const location& where : locations_) {
        nodes.insert(where.numa_node);
    }
    for (int node : nodes) {
        std::vector<int> members;
        for (int i = 0; i < processors(); ++i) {
            if (at(i).numa_node == node) {
                members.push_back(i);
            }
        }
        text += "NUMA node " + std::to_string(node) + ": processors " + ranges(members) + '\n';
    }
    return text;
}

const topology& machine() {
    static base::never_destroyed<topology> here;  // streams may run while the process ends
    return *here;
}

}  // namespace lazult::topo
