// SPDX-License-Identifier: BSD-3-Clause
// Breadth-first search, level by level. The visit of a vertex of the frontier offers itself as a
// parent to all its neighbours; what other ranks own goes there in buffers of B offers (Iwasaki et
// al., SC18, section VI-D, Figure 18).
#pragma once

#include "apps/graph500/graph.hpp"

#include <lazult_concert.hpp>

#include <atomic>
#include <memory>
#include <vector>

namespace lazult::graph500 {

inline constexpr vertex nobody = ~vertex{0};

struct offer {
    vertex child;
    vertex parent;
};

// The tree as it grows, of the vertices that this rank owns. Any thread may claim.
class tree {
public:
    explicit tree(const graph& g) : graph_(g), parents_(g.owned()), next_(g.owned()) {}

    void clear() noexcept;
    // The first offer that a vertex gets makes its parent, and puts it into the next frontier.
    void claim(const offer& o) noexcept {
        std::atomic<vertex>& parent = parents_[graph_.local(o.child)];
        vertex expected = nobody;
        // Relaxed: what was claimed is read after the level's end, which synchronises.
        if (parent.load(std::memory_order_relaxed) == nobody &&
            parent.compare_exchange_strong(expected, o.parent, std::memory_order_relaxed)) {
            next_[next_count_.fetch_add(1, std::memory_order_relaxed)] = graph_.local(o.child);
        }
    }
    // Between levels: the next frontier becomes the frontier. Its size here.
    std::size_t advance();
    const std::vector<std::size_t>& frontier() const noexcept { return frontier_; }
    std::vector<vertex> parents() const;

private:
    const graph& graph_;
    std::vector<std::atomic<vertex>> parents_;
    std::vector<std::size_t> next_;
    std::atomic<std::size_t> next_count_{0};
    std::vector<std::size_t> frontier_;
};

class search {
public:
    virtual ~search() = default;
    // Collective. The tree from this root, in `result`.
    void run(vertex root, tree& result);

protected:
    explicit search(const graph& g) : graph_(g) {}
    // Collective: all visits of a level, until all offers have come.
    virtual void level(tree& result) = 0;

    const graph& graph_;
};

// One ULT for each visit, messages for the offers. Collective.
std::unique_ptr<search> make_search_by_messages(const graph& g, int scheme,
                                                std::size_t buffer_length);
// One ULT for each visit, one that receives; MPI_Send and MPI_Recv, which the MPI door makes
// suspend. Collective.
std::unique_ptr<search> make_search_by_ults(const graph& g, std::size_t buffer_length);
// One OS thread visits, another one receives; MPI_Send and MPI_Recv. Collective.
std::unique_ptr<search> make_search_by_threads(const graph& g, std::size_t buffer_length);

// Whether blocking MPI calls of ULTs suspend them: liblazult-mpi stands before MPI.
bool is_mpi_door_there();

}  // namespace lazult::graph500
