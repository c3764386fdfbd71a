// SPDX-License-Identifier: BSD-3-Clause
// The five rules of the Graph500 specification (section "Validation"):
//   1. the tree has no cycles;
//   2. each of its edges joins vertices with levels that differ by one;
//   3. each edge of the list joins vertices with levels that differ by one at most, or two vertices
//      that are not in the tree;
//   4. the tree spans the root's component;
//   5. a vertex and its parent are joined by an edge of the list.
#pragma once

#include "apps/graph500/kronecker.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lazult::graph500 {

struct verdict {
    std::string broken_rule;  // empty: none
    // edges of the list in the root's component, as TEPS counts them
    std::uint64_t edges_traversed = 0;
};

// Collective. `parents`: of all vertices. `share`: this rank's part of the edge list, self-loops
// too.
verdict validate(vertex root, std::span<const vertex> parents, std::span<const edge> share);

// The level of each vertex, -1 where it is not in the tree; nothing when there is a cycle, or a
// parent that is none.
std::vector<int> levels_of(vertex root, std::span<const vertex> parents);

}  // namespace lazult::graph500
