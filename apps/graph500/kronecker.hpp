// SPDX-License-Identifier: BSD-3-Clause
// The edge list of the Graph500 specification (section "Generating the edge list"): a Kronecker
// graph with A = 0.57, B = C = 0.19, 2^scale vertices and 16 edges for each vertex. The vertices
// are renamed at random. Every edge depends on its number only, so ranks generate their shares
// without each other.
#pragma once

#include <cstdint>
#include <vector>

namespace lazult::graph500 {

using vertex = std::uint64_t;

struct edge {
    vertex from;
    vertex to;
};

struct graph_size {
    unsigned scale = 16;
    unsigned edge_factor = 16;
    std::uint64_t seed = 1;

    std::uint64_t vertices() const noexcept { return std::uint64_t{1} << scale; }
    std::uint64_t edges() const noexcept { return vertices() * edge_factor; }
};

edge kronecker_edge(const graph_size& size, std::uint64_t number);
// Those with a number that is `rank` modulo `ranks`.
std::vector<edge> kronecker_share(const graph_size& size, unsigned rank, unsigned ranks);

// A sequence of numbers without state, by splitmix64's finaliser.
std::uint64_t scrambled(std::uint64_t seed, std::uint64_t number) noexcept;

}  // namespace lazult::graph500
