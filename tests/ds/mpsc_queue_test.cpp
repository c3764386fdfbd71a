// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/ds/ds.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

namespace lazult {
namespace {

struct queue_item {
    queue_item* next = nullptr;
    std::size_t producer = 0;
    int number = 0;
};

template <class Atomics>
struct mpsc_queue_test : testing::Test {
    ds::mpsc_queue<queue_item, &queue_item::next, Atomics> queue;
};
using policies = testing::Types<ds::std_atomics>;
TYPED_TEST_SUITE(mpsc_queue_test, policies);

TYPED_TEST(mpsc_queue_test, is_empty_at_first) {
    EXPECT_TRUE(this->queue.empty_estimate());
    EXPECT_EQ(this->queue.take_all(), nullptr);
}

TYPED_TEST(mpsc_queue_test, takes_all_in_order) {
    std::array<queue_item, 3> items;
    EXPECT_TRUE(this->queue.push(&items[0]));
    EXPECT_FALSE(this->queue.push(&items[1]));
    EXPECT_FALSE(this->queue.push(&items[2]));
    EXPECT_FALSE(this->queue.empty_estimate());
    const queue_item* const oldest = this->queue.take_all();
    ASSERT_EQ(oldest, &items[0]);
    ASSERT_EQ(oldest->next, &items[1]);
    ASSERT_EQ(oldest->next->next, &items[2]);
    EXPECT_EQ(oldest->next->next->next, nullptr);
    EXPECT_TRUE(this->queue.empty_estimate());
    EXPECT_TRUE(this->queue.push(&items[1]));
}

TYPED_TEST(mpsc_queue_test, stress_keeps_each_producers_order) {
    constexpr std::size_t producers = 2;
    constexpr std::size_t each_pushes = 500'000;
    std::vector<std::vector<queue_item>> all(producers, std::vector<queue_item>(each_pushes));
    std::atomic<int> told_empty{0};
    std::vector<std::thread> threads;
    for (std::size_t producer = 0; producer < producers; ++producer) {
        threads.emplace_back([&, producer] {
            int number = 0;
            for (queue_item& each : all[producer]) {
                each.producer = producer;
                each.number = ++number;
                if (this->queue.push(&each)) {
                    told_empty.fetch_add(1, std::memory_order_relaxed);
                }
            }
        });
    }
    std::array<int, producers> last{};
    std::size_t taken = 0;
    int batches = 0;
    while (taken < producers * each_pushes) {
        const queue_item* each = this->queue.take_all();
        batches += each != nullptr ? 1 : 0;
        for (; each != nullptr; each = each->next, ++taken) {
            ASSERT_EQ(each->number, last[each->producer] + 1);
            last[each->producer] = each->number;
        }
        std::this_thread::yield();
    }
    for (std::thread& each : threads) {
        each.join();
    }
    EXPECT_EQ(told_empty.load(std::memory_order_relaxed), batches);
}

}  // namespace
}  // namespace lazult
