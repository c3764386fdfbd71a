// SPDX-License-Identifier: BSD-3-Clause
// A scheduler of one's own: two units of the first pool, then one of the second.
#include <lazult/lazult.hpp>

#include <cstdio>
#include <string>

namespace {

class two_to_one final : public lazult::custom_scheduler {
public:
    two_to_one(lazult::pool& often, lazult::pool& seldom) : often_(often), seldom_(seldom) {}

    lazult::thread_id next() noexcept override {
        turn_ = (turn_ + 1) % 3;
        lazult::pool& first = turn_ == 0 ? seldom_ : often_;
        lazult::pool& second = turn_ == 0 ? often_ : seldom_;
        const lazult::thread_id unit = pop(first);
        return unit != lazult::thread_id() ? unit : pop(second);
    }

private:
    lazult::pool& often_;
    lazult::pool& seldom_;
    int turn_ = 0;
};

}  // namespace

int main() {
    lazult::pool often(lazult::pool_kind::shared_fifo);
    lazult::pool seldom(lazult::pool_kind::shared_fifo);
    two_to_one scheduler(often, seldom);
    std::string order;
    std::vector<lazult::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back(lazult::thread_attributes{.where = &often}, [&] { order += 'o'; });
    }
    for (int i = 0; i < 2; ++i) {
        threads.emplace_back(lazult::thread_attributes{.where = &seldom}, [&] { order += 's'; });
    }
    lazult::execution_stream stream(scheduler, {&often, &seldom});
    lazult::join_many(threads);
    std::printf("%s\n", order.c_str());
    return order == "oosoos" ? 0 : 1;
}
