// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/ds/ds.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <thread>
#include <vector>

namespace lazult {
namespace {

struct deque_item {
    int payload = 0;
    std::atomic<int> takers{0};
};

template <class Atomics>
struct deque_test : testing::Test {
    ds::deque<deque_item, Atomics> deque{2};
    std::vector<deque_item> items = std::vector<deque_item>(100);
};
using policies = testing::Types<ds::std_atomics>;
TYPED_TEST_SUITE(deque_test, policies);

TYPED_TEST(deque_test, is_empty_at_first) {
    EXPECT_TRUE(this->deque.empty_estimate());
    EXPECT_EQ(this->deque.pop(), nullptr);
    EXPECT_EQ(this->deque.steal(), nullptr);
    EXPECT_FALSE(this->deque.try_steal().contended);
    EXPECT_FALSE(this->deque.pop_if(&this->items[0]));
}

TYPED_TEST(deque_test, owner_takes_the_newest_and_thieves_the_oldest) {
    for (int each = 0; each < 5; ++each) {
        this->deque.push(&this->items[static_cast<std::size_t>(each)]);
    }
    EXPECT_EQ(this->deque.size_estimate(), 5U);
    EXPECT_EQ(this->deque.steal(), &this->items[0]);
    EXPECT_EQ(this->deque.pop(), &this->items[4]);
    EXPECT_EQ(this->deque.steal(), &this->items[1]);
    EXPECT_EQ(this->deque.pop(), &this->items[3]);
    EXPECT_EQ(this->deque.pop(), &this->items[2]);
    EXPECT_EQ(this->deque.pop(), nullptr);
    EXPECT_EQ(this->deque.steal(), nullptr);
}

TYPED_TEST(deque_test, grows_and_keeps_order) {
    for (deque_item& each : this->items) {
        this->deque.push(&each);
    }
    EXPECT_EQ(this->deque.size_estimate(), this->items.size());
    for (deque_item& each : this->items) {
        EXPECT_EQ(this->deque.steal(), &each);
    }
    EXPECT_TRUE(this->deque.empty_estimate());
}

TYPED_TEST(deque_test, goes_round_its_ring_without_growing_wrong) {
    for (int round = 0; round < 1000; ++round) {
        this->deque.push(&this->items[0]);
        this->deque.push(&this->items[1]);
        ASSERT_EQ(this->deque.steal(), &this->items[0]);
        ASSERT_EQ(this->deque.pop(), &this->items[1]);
    }
}

TYPED_TEST(deque_test, pop_if_takes_only_the_bottom) {
    this->deque.push(&this->items[0]);
    this->deque.push(&this->items[1]);
    EXPECT_FALSE(this->deque.pop_if(&this->items[0]));
    EXPECT_TRUE(this->deque.pop_if(&this->items[1]));
    EXPECT_FALSE(this->deque.pop_if(&this->items[1]));
    EXPECT_EQ(this->deque.steal(), &this->items[0]);
    EXPECT_FALSE(this->deque.pop_if(&this->items[0]));  // its slot still holds the pointer
}

TYPED_TEST(deque_test, its_owner_takes_the_oldest_too) {
    for (std::size_t each = 0; each < 3; ++each) {
        this->deque.push(&this->items[each]);
    }
    EXPECT_TRUE(this->deque.is_bottom(&this->items[2]));
    EXPECT_EQ(this->deque.take_oldest(), &this->items[0]);
    EXPECT_EQ(this->deque.steal(), &this->items[1]);
    EXPECT_EQ(this->deque.take_oldest(), &this->items[2]);
    EXPECT_EQ(this->deque.take_oldest(), nullptr);
    EXPECT_EQ(this->deque.pop(), nullptr);
}

TYPED_TEST(deque_test, its_owner_takes_a_certain_one_only_if_it_is_the_oldest) {
    EXPECT_FALSE(this->deque.take_oldest_if(&this->items[0]));
    this->deque.push(&this->items[0]);
    this->deque.push(&this->items[1]);
    EXPECT_FALSE(this->deque.is_top(&this->items[1]));
    EXPECT_FALSE(this->deque.take_oldest_if(&this->items[1]));
    EXPECT_TRUE(this->deque.is_top(&this->items[0]));
    EXPECT_TRUE(this->deque.take_oldest_if(&this->items[0]));
    EXPECT_FALSE(this->deque.take_oldest_if(&this->items[0]));
    EXPECT_EQ(this->deque.pop(), &this->items[1]);
    EXPECT_FALSE(this->deque.take_oldest_if(&this->items[1])) << "its slot still holds the pointer";
}

// The owner pushes, pops, takes back and takes the oldest as the seed says; thieves steal.
TYPED_TEST(deque_test, stress_takes_each_element_once) {
    constexpr std::size_t count = 1'000'000;
    constexpr int thieves = 2;
    std::vector<deque_item> all(count);
    std::atomic<bool> done{false};
    std::vector<std::thread> threads;
    const auto take = [](deque_item* taken) {
        EXPECT_EQ(taken->payload, 1);
        taken->takers.fetch_add(1, std::memory_order_relaxed);
    };
    for (int thief = 0; thief < thieves; ++thief) {
        threads.emplace_back([&] {
            while (!done.load(std::memory_order_acquire)) {
                if (deque_item* const taken = this->deque.steal()) {
                    take(taken);
                }
            }
        });
    }
    base::xorshift64 random(42);
    for (deque_item& each : all) {
        each.payload = 1;
        this->deque.push(&each);
        const auto dice = random.below(8);
        if (dice < 2) {
            if (deque_item* const taken =
                    dice == 0 ? this->deque.take_oldest() : this->deque.pop()) {
                take(taken);
            }
        } else if (dice < 4 && this->deque.pop_if(&each)) {
            take(&each);
        }
    }
    while (deque_item* const taken = this->deque.pop()) {
        take(taken);
    }
    done.store(true, std::memory_order_release);
    for (std::thread& each : threads) {
        each.join();
    }
    for (const deque_item& each : all) {
        ASSERT_EQ(each.takers.load(std::memory_order_relaxed), 1);
    }
}

}  // namespace
}  // namespace lazult
