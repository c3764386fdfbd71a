// SPDX-License-Identifier: BSD-3-Clause
#include "apps/graph500/validation.hpp"

#include "apps/graph500/search.hpp"

#include <mpi.h>

#include <cstdlib>

namespace lazult::graph500 {
namespace {

constexpr int unknown = -2;

// Follows the parents to a vertex with a known level, and fills in the levels on the way. False on
// a cycle.
bool fill_levels(vertex from, std::span<const vertex> parents, std::vector<int>& levels) {
    std::vector<vertex> path;
    vertex v = from;
    while (levels[v] == unknown) {
        path.push_back(v);
        if (parents[v] >= parents.size() || path.size() > parents.size()) {
            return false;
        }
        v = parents[v];
    }
    if (levels[v] < 0) {
        return false;
    }
    for (int level = levels[v]; !path.empty(); path.pop_back()) {
        levels[path.back()] = ++level;
    }
    return true;
}

struct findings {
    std::uint64_t edges_traversed = 0;
    std::uint64_t uneven = 0;             // rule 3
    std::uint64_t torn = 0;               // rule 4: one end in the tree, the other not
    std::vector<std::uint8_t> is_joined;  // rule 5: an edge to the parent was seen
};

findings look_at_edges(std::span<const edge> share, std::span<const vertex> parents,
                       const std::vector<int>& levels) {
    findings found;
    found.is_joined.resize(parents.size());
    for (const edge& e : share) {
        const bool first_in = levels[e.from] >= 0;
        const bool second_in = levels[e.to] >= 0;
        found.edges_traversed += first_in && second_in ? 1 : 0;
        found.torn += first_in != second_in ? 1 : 0;
        found.uneven +=
            first_in && second_in && std::abs(levels[e.from] - levels[e.to]) > 1 ? 1 : 0;
        found.is_joined[e.from] |= parents[e.from] == e.to ? 1 : 0;
        found.is_joined[e.to] |= parents[e.to] == e.from ? 1 : 0;
    }
    return found;
}

void combine(findings& found) {
    std::uint64_t numbers[] = {found.edges_traversed, found.uneven, found.torn};
    MPI_Allreduce(MPI_IN_PLACE, numbers, 3, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, found.is_joined.data(), static_cast<int>(found.is_joined.size()),
                  MPI_UINT8_T, MPI_BOR, MPI_COMM_WORLD);
    found.edges_traversed = numbers[0];
    found.uneven = numbers[1];
    found.torn = numbers[2];
}

std::string broken_rule(vertex root, std::span<const vertex> parents,
                        const std::vector<int>& levels, const findings& found) {
    for (vertex v = 0; v < parents.size(); ++v) {
        if (v == root || levels[v] < 0) {
            continue;
        }
        if (levels[v] != levels[parents[v]] + 1) {
            return "2: an edge of the tree does not join two neighbouring levels";
        }
        if (found.is_joined[v] == 0) {
            return "5: vertex " + std::to_string(v) + " and its parent are not joined by an edge";
        }
    }
    if (found.uneven != 0) {
        return "3: " + std::to_string(found.uneven) +
               " edges join levels that differ by more than one";
    }
    return found.torn == 0 ? ""
                           : "4: " + std::to_string(found.torn) + " edges lead out of the tree";
}

}  // namespace

std::vector<int> levels_of(vertex root, std::span<const vertex> parents) {
    std::vector<int> levels(parents.size(), unknown);
    for (vertex v = 0; v < parents.size(); ++v) {
        levels[v] = parents[v] == nobody ? -1 : unknown;
    }
    if (parents[root] != root) {
        return {};
    }
    levels[root] = 0;
    for (vertex v = 0; v < parents.size(); ++v) {
        if (levels[v] == unknown && !fill_levels(v, parents, levels)) {
            return {};
        }
    }
    return levels;
}

verdict validate(vertex root, std::span<const vertex> parents, std::span<const edge> share) {
    const std::vector<int> levels = levels_of(root, parents);
    if (levels.empty()) {
        return {"1: the tree has a cycle, or a parent that is not in it", 0};
    }
    findings found = look_at_edges(share, parents, levels);
    combine(found);
    return {broken_rule(root, parents, levels, found), found.edges_traversed};
}

}  // namespace lazult::graph500
