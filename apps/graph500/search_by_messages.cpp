// SPDX-License-Identifier: BSD-3-Clause
#include "apps/graph500/visits.hpp"

namespace lazult::graph500 {
namespace {

concert_options options_for(int scheme) {
    concert_options options = concert::default_options();
    options.scheme = scheme;
    options.aggregate_bytes = 0;  // the buffers here do that
    return options;
}

class search_by_messages final : public search_by_visits {
public:
    search_by_messages(const graph& g, int scheme, std::size_t buffer_length)
        : search_by_visits(g, buffer_length),
          queue_(options_for(scheme)),
          offers_("graph500.offers", [this](int, std::span<const offer> offers) {
              for (const offer& each : offers) {
                  into_->claim(each);
              }
          }) {}

private:
    void level(tree& result) override {
        into_ = &result;
        visit_frontier(result);
        // Ends the epoch: offers of the next level do not come into this one.
        if (concert_quiesce() != CONCERT_OK) {
            concert::detail::throw_last_failure();
        }
    }
    void send(unsigned rank, std::span<const offer> offers) override {
        offers_.send(queue_, static_cast<int>(rank), offers);
    }
    void receive_some() override { queue_.extract(64); }

    tree* into_ = nullptr;
    concert::queue queue_;
    concert::span_handler<offer> offers_;
};

}  // namespace

std::unique_ptr<search> make_search_by_messages(const graph& g, int scheme,
                                                std::size_t buffer_length) {
    return std::make_unique<search_by_messages>(g, scheme, buffer_length);
}

}  // namespace lazult::graph500
