// SPDX-License-Identifier: BSD-3-Clause
// The same by blocking calls in OS threads: what messages are measured against.
#include "apps/graph500/search.hpp"

#include <mpi.h>

#include <thread>

namespace lazult::graph500 {
namespace {

constexpr int tag = 5;

class search_by_mpi final : public search {
public:
    search_by_mpi(const graph& g, std::size_t buffer_length)
        : search(g), buffer_length_(buffer_length), buffers_(g.ranks()) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    }
    ~search_by_mpi() override { MPI_Comm_free(&comm_); }

private:
    void level(tree& result) override {
        std::thread receiver([&] { receive(result); });
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
        // Nobody sends for the next level what a receiver of this one would take.
        MPI_Barrier(comm_);
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
        std::vector<offer>& offers = buffers_[rank];
        MPI_Send(offers.data(), static_cast<int>(offers.size() * 2), MPI_UINT64_T, static_cast<int>(rank),
                 tag, comm_);
        offers.clear();
    }

    void receive(tree& result) {
        std::vector<offer> offers(buffer_length_);
        for (unsigned ends = 1; ends < graph_.ranks();) {
            MPI_Status status;
            int words = 0;
            MPI_Recv(offers.data(), static_cast<int>(offers.size() * 2), MPI_UINT64_T, MPI_ANY_SOURCE, tag,
                     comm_, &status);
            MPI_Get_count(&status, MPI_UINT64_T, &words);
            ends += words == 0 ? 1 : 0;
            for (int i = 0; i < words / 2; ++i) {
                result.claim(offers[static_cast<std::size_t>(i)]);
            }
        }
    }

    std::size_t buffer_length_;
    MPI_Comm comm_ = MPI_COMM_NULL;
    std::vector<std::vector<offer>> buffers_;
};

}  // namespace

std::unique_ptr<search> make_search_by_mpi(const graph& g, std::size_t buffer_length) {
    return std::make_unique<search_by_mpi>(g, buffer_length);
}

}  // namespace lazult::graph500
