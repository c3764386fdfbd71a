// SPDX-License-Identifier: BSD-3-Clause
#include "apps/graph500/search.hpp"

#include <mpi.h>

namespace lazult::graph500 {

void tree::clear() noexcept {
    for (std::atomic<vertex>& each : parents_) {
        each.store(nobody, std::memory_order_relaxed);
    }
    next_count_.store(0, std::memory_order_relaxed);
    frontier_.clear();
}

std::size_t tree::advance() {
    const std::size_t count = next_count_.exchange(0, std::memory_order_relaxed);
    frontier_.assign(next_.begin(), next_.begin() + static_cast<std::ptrdiff_t>(count));
    return count;
}

std::vector<vertex> tree::parents() const {
    std::vector<vertex> all;
    for (const std::atomic<vertex>& each : parents_) {
        all.push_back(each.load(std::memory_order_relaxed));
    }
    return all;
}

void search::run(vertex root, tree& result) {
    result.clear();
    if (graph_.owner(root) == graph_.rank()) {
        result.claim({root, root});
    }
    for (;;) {
        std::uint64_t waiting = result.advance();
        MPI_Allreduce(MPI_IN_PLACE, &waiting, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
        if (waiting == 0) {
            return;
        }
        level(result);
    }
}

}  // namespace lazult::graph500
