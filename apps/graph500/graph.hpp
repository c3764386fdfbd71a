// SPDX-License-Identifier: BSD-3-Clause
// One rank's part of the graph: the neighbours of the vertices that it owns. Vertex v belongs to
// rank v mod ranks.
#pragma once

#include "apps/graph500/kronecker.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace lazult::graph500 {

class graph {
public:
    // Collective. Self-loops are left out; edges that occur several times are kept.
    graph(std::uint64_t vertices, std::span<const edge> share, unsigned rank, unsigned ranks);

    unsigned owner(vertex v) const noexcept { return static_cast<unsigned>(v % ranks_); }
    std::size_t local(vertex v) const noexcept { return v / ranks_; }
    vertex global(std::size_t local) const noexcept { return local * ranks_ + rank_; }
    std::size_t owned() const noexcept { return begins_.size() - 1; }
    std::span<const vertex> neighbours(std::size_t local) const noexcept {
        return std::span(targets_).subspan(begins_[local], begins_[local + 1] - begins_[local]);
    }
    std::uint64_t vertices() const noexcept { return vertices_; }
    unsigned rank() const noexcept { return rank_; }
    unsigned ranks() const noexcept { return ranks_; }

private:
    std::uint64_t vertices_;
    unsigned rank_;
    unsigned ranks_;
    std::vector<std::size_t> begins_;
    std::vector<vertex> targets_;
};

}  // namespace lazult::graph500
