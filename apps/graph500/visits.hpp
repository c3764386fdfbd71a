// SPDX-License-Identifier: BSD-3-Clause
// A ULT for each visit. The buffers of offers are shared by all visits of a rank.
#pragma once

#include "apps/graph500/search.hpp"

#include <lazult/lazult.hpp>

#include <span>
#include <vector>

namespace lazult::graph500 {

class search_by_visits : public search {
protected:
    search_by_visits(const graph& g, std::size_t buffer_length)
        : search(g), buffer_length_(buffer_length), buffers_(g.ranks()) {}

    // Until all visits of the frontier are over, and what they left in the buffers is sent.
    void visit_frontier(tree& result);
    // By visits. May suspend.
    virtual void send(unsigned rank, std::span<const offer> offers) = 0;
    // While visits are started, now and then.
    virtual void receive_some() {}

    std::size_t buffer_length() const noexcept { return buffer_length_; }

private:
    struct alignas(64) buffer {
        mutex lock;
        std::vector<offer> offers;
    };

    void visit(tree& result, std::size_t local);
    void put(unsigned rank, const offer& o);

    std::size_t buffer_length_;
    std::vector<buffer> buffers_;
};

}  // namespace lazult::graph500
