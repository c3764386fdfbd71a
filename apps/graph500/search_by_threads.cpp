// SPDX-License-Identifier: BSD-3-Clause
// The same by blocking calls in OS threads: what messages and ULTs are measured against.
#include "apps/graph500/offers_by_mpi.hpp"
#include "apps/graph500/search.hpp"

#include <thread>

namespace lazult::graph500 {
namespace {

class search_by_threads final : public search {
public:
    search_by_threads(const graph& g, std::size_t buffer_length)
        : search(g), buffer_length_(buffer_length), buffers_(g.ranks()) {}

private:
    void level(tree& result) override {
        std::thread receiver(
            [&] { by_mpi_.receive_level(result, graph_.ranks() - 1, buffer_length_); });
        for (const std::size_t local : result.frontier()) {
            visit(result, local);
        }
        for (unsigned rank = 0; rank < graph_.ranks(); ++rank) {
            if (rank != graph_.rank()) {
                if (!buffers_[rank].empty()) {
                    send(rank);
                }
                send(rank);  // an empty one ends the level
            }
        }
        receiver.join();
        by_mpi_.end_level();
    }

    void visit(tree& result, std::size_t local) {
        const vertex parent = graph_.global(local);
        for (const vertex child : graph_.neighbours(local)) {
            const unsigned owner = graph_.owner(child);
            if (owner == graph_.rank()) {
                result.claim({child, parent});
                continue;
            }
            buffers_[owner].push_back({child, parent});
            if (buffers_[owner].size() == buffer_length_) {
                send(owner);
            }
        }
    }

    void send(unsigned rank) {
        by_mpi_.send(rank, buffers_[rank]);
        buffers_[rank].clear();
    }

    std::size_t buffer_length_;
    offers_by_mpi by_mpi_;
    std::vector<std::vector<offer>> buffers_;
};

}  // namespace

std::unique_ptr<search> make_search_by_threads(const graph& g, std::size_t buffer_length) {
    return std::make_unique<search_by_threads>(g, buffer_length);
}

}  // namespace lazult::graph500
