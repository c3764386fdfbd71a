// SPDX-License-Identifier: BSD-3-Clause
// Blocking calls in ULTs.
#include "apps/graph500/offers_by_mpi.hpp"
#include "apps/graph500/visits.hpp"

#include <dlfcn.h>

#include <string_view>

namespace lazult::graph500 {
namespace {

class search_by_ults final : public search_by_visits {
public:
    search_by_ults(const graph& g, std::size_t buffer_length)
        : search_by_visits(g, buffer_length) {}

private:
    void level(tree& result) override {
        thread receiver(
            [&] { by_mpi_.receive_level(result, graph_.ranks() - 1, buffer_length()); });
        visit_frontier(result);
        for (unsigned rank = 0; rank < graph_.ranks(); ++rank) {
            if (rank != graph_.rank()) {
                by_mpi_.send(rank, {});
            }
        }
        receiver.join();
        by_mpi_.end_level();
    }
    void send(unsigned rank, std::span<const offer> offers) override { by_mpi_.send(rank, offers); }

    offers_by_mpi by_mpi_;
};

}  // namespace

std::unique_ptr<search> make_search_by_ults(const graph& g, std::size_t buffer_length) {
    return std::make_unique<search_by_ults>(g, buffer_length);
}

bool is_mpi_door_there() {
    Dl_info where{};
    void* const call = ::dlsym(RTLD_DEFAULT, "MPI_Recv");
    return call != nullptr && ::dladdr(call, &where) != 0 &&
           std::string_view(where.dli_fname).find("liblazult-mpi") != std::string_view::npos;
}

}  // namespace lazult::graph500
