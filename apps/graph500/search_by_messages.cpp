// SPDX-License-Identifier: BSD-3-Clause
#include "apps/graph500/search.hpp"

#include <lazult/lazult.hpp>

#include <mutex>
#include <span>

namespace lazult::graph500 {
namespace {

concert_options options_for(int scheme) {
    concert_options options = concert::default_options();
    options.scheme = scheme;
    options.aggregate_bytes = 0;  // the buffers here do that
    return options;
}

class search_by_messages final : public search {
public:
    search_by_messages(const graph& g, int scheme, std::size_t buffer_length)
        : search(g),
          buffer_length_(buffer_length),
          queue_(options_for(scheme)),
          offers_("graph500.offers",
                  [this](int, std::span<const offer> offers) {
                      for (const offer& each : offers) {
                          into_->claim(each);
                      }
                  }),
          buffers_(g.ranks()) {}

private:
    struct alignas(64) buffer {
        mutex lock;
        std::vector<offer> offers;
    };

    void level(tree& result) override {
        into_ = &result;
        task_group visits;
        std::size_t started = 0;
        for (const std::size_t local : result.frontier()) {
            visits.run([this, local] { visit(local); });
            // What comes meanwhile need not wait.
            if (++started % 64 == 0) {
                queue_.extract(64);
            }
        }
        visits.wait();
        for (unsigned rank = 0; rank < graph_.ranks(); ++rank) {
            const std::scoped_lock hold(buffers_[rank].lock);
            send(rank, buffers_[rank].offers);
        }
        // Ends the epoch: offers of the next level do not come into this one.
        if (concert_quiesce() != CONCERT_OK) {
            concert::detail::throw_last_failure();
        }
    }

    void visit(std::size_t local) {
        const vertex parent = graph_.global(local);
        for (const vertex child : graph_.neighbours(local)) {
            const unsigned owner = graph_.owner(child);
            if (owner == graph_.rank()) {
                into_->claim({child, parent});
            } else {
                put(owner, {child, parent});
            }
        }
    }

    void put(unsigned rank, const offer& o) {
        buffer& to = buffers_[rank];
        const std::scoped_lock hold(to.lock);
        to.offers.push_back(o);
        if (to.offers.size() == buffer_length_) {
            send(rank, to.offers);
        }
    }

    void send(unsigned rank, std::vector<offer>& offers) {
        if (!offers.empty()) {
            offers_.send(queue_, static_cast<int>(rank), offers);
            offers.clear();
        }
    }

    std::size_t buffer_length_;
    tree* into_ = nullptr;
    concert::queue queue_;
    concert::span_handler<offer> offers_;
    std::vector<buffer> buffers_;
};

}  // namespace

std::unique_ptr<search> make_search_by_messages(const graph& g, int scheme, std::size_t buffer_length) {
    return std::make_unique<search_by_messages>(g, scheme, buffer_length);
}

}  // namespace lazult::graph500
