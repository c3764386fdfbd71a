// SPDX-License-Identifier: BSD-3-Clause
// A unit that was handed a lock must not wait behind others that will want the same lock.
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <vector>

#include "tests/support/runtime.hpp"

namespace {

namespace sup = lazult::support;
using lazult::core::technique;

// With a lock: they are threads to ThreadSanitizer, though one stream runs them.
class order_of_arrival {
public:
    void add(int who) {
        const std::lock_guard hold(lock_);
        all_.push_back(who);
    }
    const std::vector<int>& all() const { return all_; }

private:
    std::mutex lock_;
    std::vector<int> all_;
};

TEST(push_soon, takes_a_unit_over_from_a_busy_streams_pool) {
    const sup::runtime running(2);
    std::atomic<bool> busy{false};
    std::atomic<bool> done{false};
    sup::unit hog = sup::spawn(*lazult::sched::stream_at(1)->pinned(), technique::lazy_stack, [&] {
        busy = true;
        while (!done.load()) {
        }
    });
    while (!busy.load()) {
        lazult::core::yield();
    }
    order_of_arrival order;
    std::vector<sup::unit> crowd;
    crowd.reserve(10);
    for (int i = 0; i < 10; ++i) {
        crowd.push_back(
            sup::spawn(sup::default_pool(), technique::lazy_stack, [&] { order.add(1); }));
    }
    auto& there = lazult::sched::stream_at(1)->default_pool();
    sup::unit urgent(there, lazult::core::unit_attributes(technique::lazy_stack),
                     [&] { order.add(2); });
    there.push_soon(lazult::core::this_worker_or_null(), urgent.get());
    urgent.join();
    for (sup::unit& u : crowd) {
        u.join();
    }
    done = true;  // from here on the other stream steals
    hog.join();
    ASSERT_EQ(order.all().size(), 11U);
    EXPECT_EQ(order.all().front(), 2);
}

TEST(push_soon, goes_to_the_front_of_a_private_pool) {
    const sup::runtime running(1);
    order_of_arrival order;
    std::vector<sup::unit> crowd;
    for (int i = 0; i < 10; ++i) {
        crowd.push_back(sup::spawn(sup::pinned(), technique::lazy_stack, [&] { order.add(1); }));
    }
    sup::unit urgent(sup::pinned(), lazult::core::unit_attributes(technique::lazy_stack),
                     [&] { order.add(2); });
    sup::pinned().push_soon(lazult::core::this_worker_or_null(), urgent.get());
    for (sup::unit& u : crowd) {
        u.join();
    }
    urgent.join();
    ASSERT_EQ(order.all().size(), 11U);
    EXPECT_EQ(order.all().front(), 2);
}

}  // namespace
