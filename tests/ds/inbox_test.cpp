// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/ds/ds.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

namespace lazult {
namespace {

struct alignas(64) inbox_item {
    inbox_item* next = nullptr;
    std::size_t producer = 0;
    int number = 0;
};

template <class Atomics>
struct inbox_test : testing::Test {
    ds::inbox<inbox_item, &inbox_item::next, Atomics> inbox;
};
using policies = testing::Types<ds::std_atomics>;
TYPED_TEST_SUITE(inbox_test, policies);

TYPED_TEST(inbox_test, is_closed_at_first) {
    inbox_item refused;
    EXPECT_FALSE(this->inbox.push(&refused));
    EXPECT_TRUE(this->inbox.empty_estimate());
    EXPECT_EQ(this->inbox.size_estimate(), 0U);
    EXPECT_EQ(this->inbox.take_all(), nullptr);
    EXPECT_EQ(this->inbox.take_only(), nullptr);
    EXPECT_FALSE(this->inbox.push(&refused)) << "nobody has opened it by taking";
    EXPECT_EQ(this->inbox.close(), nullptr);
    EXPECT_FALSE(this->inbox.push(&refused));
}

TYPED_TEST(inbox_test, takes_all_in_order) {
    std::array<inbox_item, 3> items;
    this->inbox.open();
    for (inbox_item& each : items) {
        EXPECT_TRUE(this->inbox.push(&each));
    }
    EXPECT_EQ(this->inbox.size_estimate(), 3U);
    EXPECT_EQ(this->inbox.take_only(), nullptr) << "there are others";
    const inbox_item* const oldest = this->inbox.take_all();
    ASSERT_EQ(oldest, &items[0]);
    ASSERT_EQ(oldest->next, &items[1]);
    ASSERT_EQ(oldest->next->next, &items[2]);
    EXPECT_EQ(oldest->next->next->next, nullptr);
    EXPECT_TRUE(this->inbox.empty_estimate());
    EXPECT_TRUE(this->inbox.push(&items[1])) << "it stays open";
    EXPECT_EQ(this->inbox.take_only(), &items[1]);
    EXPECT_EQ(this->inbox.take_only(), nullptr);
    EXPECT_EQ(this->inbox.take_all(), nullptr);
}

TYPED_TEST(inbox_test, the_thread_that_closes_it_gets_what_is_there) {
    std::array<inbox_item, 2> items;
    this->inbox.open();
    EXPECT_TRUE(this->inbox.push(&items[0]));
    this->inbox.open();
    EXPECT_EQ(this->inbox.size_estimate(), 1U) << "it was open";
    EXPECT_TRUE(this->inbox.push(&items[1]));
    const inbox_item* const oldest = this->inbox.close();
    ASSERT_EQ(oldest, &items[0]);
    ASSERT_EQ(oldest->next, &items[1]);
    EXPECT_EQ(items[1].next, nullptr);
    EXPECT_FALSE(this->inbox.push(&items[0]));
    EXPECT_EQ(this->inbox.size_estimate(), 0U);
    this->inbox.open();
    EXPECT_TRUE(this->inbox.push(&items[0]));
    EXPECT_EQ(this->inbox.close(), &items[0]);
}

// Producers keep what is refused; a consumer takes, and somebody else closes and opens.
TYPED_TEST(inbox_test, stress_keeps_each_producers_order) {
    constexpr std::size_t producers = 2;
    constexpr std::size_t each_pushes = 100'000;
    std::vector<std::vector<inbox_item>> all(producers, std::vector<inbox_item>(each_pushes));
    std::atomic<std::size_t> refused{0};
    std::atomic<std::size_t> taken{0};
    std::atomic<bool> done{false};
    this->inbox.open();
    std::vector<std::thread> threads;
    for (std::size_t producer = 0; producer < producers; ++producer) {
        threads.emplace_back([&, producer] {
            int number = 0;
            for (inbox_item& each : all[producer]) {
                each.producer = producer;
                each.number = ++number;
                if (!this->inbox.push(&each)) {
                    refused.fetch_add(1, std::memory_order_relaxed);
                }
            }
        });
    }
    const auto count = [&taken](const inbox_item* batch) {
        std::array<int, producers> last{};
        for (; batch != nullptr; batch = batch->next) {
            EXPECT_GT(batch->number, last[batch->producer]);
            last[batch->producer] = batch->number;
            taken.fetch_add(1, std::memory_order_relaxed);
        }
    };
    std::thread closer([&] {
        while (!done.load()) {
            count(this->inbox.close());
            std::this_thread::yield();
            this->inbox.open();
            std::this_thread::yield();
        }
    });
    while (taken.load() + refused.load() < producers * each_pushes) {
        if (const inbox_item* only = this->inbox.take_only(); only != nullptr) {
            taken.fetch_add(1, std::memory_order_relaxed);
        }
        count(this->inbox.take_all());
        std::this_thread::yield();
    }
    done = true;
    for (std::thread& each : threads) {
        each.join();
    }
    closer.join();
    EXPECT_EQ(this->inbox.close(), nullptr);
    EXPECT_EQ(taken.load() + refused.load(), producers * each_pushes);
}

}  // namespace
}  // namespace lazult
