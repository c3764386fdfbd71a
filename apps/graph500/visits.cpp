// SPDX-License-Identifier: BSD-3-Clause
#include "apps/graph500/visits.hpp"

#include <mutex>
#include <utility>

namespace lazult::graph500 {

void search_by_visits::visit_frontier(tree& result) {
    constexpr std::size_t starts_between_looks = 64;
    task_group visits;
    std::size_t started = 0;
    for (const std::size_t local : result.frontier()) {
        visits.run([this, &result, local] { visit(result, local); });
        if (++started % starts_between_looks == 0) {
            receive_some();
        }
    }
    visits.wait();
    for (unsigned rank = 0; rank < graph_.ranks(); ++rank) {
        if (!buffers_[rank].offers.empty()) {
            send(rank, buffers_[rank].offers);
            buffers_[rank].offers.clear();
        }
    }
}

void search_by_visits::visit(tree& result, std::size_t local) {
    const vertex parent = graph_.global(local);
    for (const vertex child : graph_.neighbours(local)) {
        const unsigned owner = graph_.owner(child);
        if (owner == graph_.rank()) {
            result.claim({child, parent});
        } else {
            put(owner, {child, parent});
        }
    }
}

// Sent without the lock: other visits fill the next buffer meanwhile.
void search_by_visits::put(unsigned rank, const offer& o) {
    std::vector<offer> full;
    {
        buffer& to = buffers_[rank];
        const std::scoped_lock hold(to.lock);
        to.offers.push_back(o);
        if (to.offers.size() < buffer_length_) {
            return;
        }
        full.reserve(buffer_length_);
        std::swap(full, to.offers);
    }
    send(rank, full);
}

}  // namespace lazult::graph500
