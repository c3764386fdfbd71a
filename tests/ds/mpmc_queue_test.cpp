// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/ds/ds.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <set>
#include <thread>
#include <vector>

namespace lazult {
namespace {

template <class Atomics>
struct element {
    ds::mpmc_node<Atomics>* node = nullptr;
    std::size_t producer = 0;
    std::size_t number = 0;
    std::atomic<int> takers{0};
};

template <class Atomics>
struct traits : ds::slab_nodes<Atomics> {
    static ds::mpmc_node<Atomics>*& node_of(element<Atomics>* owner) { return owner->node; }
};

template <class Atomics>
struct mpmc_queue_test : testing::Test {
    using item = element<Atomics>;
    using queue_type = ds::mpmc_queue<item, traits<Atomics>, Atomics>;

    queue_type queue;
    std::vector<item> items = std::vector<item>(10);

    ~mpmc_queue_test() override {
        for (item& each : items) {
            if (each.node != nullptr) {
                traits<Atomics>::give_node(each.node);
            }
        }
    }
};
using policies = testing::Types<ds::std_atomics>;
TYPED_TEST_SUITE(mpmc_queue_test, policies);

TYPED_TEST(mpmc_queue_test, is_empty_at_first) {
    EXPECT_TRUE(this->queue.empty_estimate());
    EXPECT_EQ(this->queue.size_estimate(), 0U);
    EXPECT_EQ(this->queue.pop(), nullptr);
}

TYPED_TEST(mpmc_queue_test, first_in_first_out) {
    for (auto& each : this->items) {
        this->queue.push(&each);
    }
    EXPECT_FALSE(this->queue.empty_estimate());
    EXPECT_EQ(this->queue.size_estimate(), this->items.size());
    for (auto& each : this->items) {
        EXPECT_EQ(this->queue.pop(), &each);
    }
    EXPECT_EQ(this->queue.pop(), nullptr);
    EXPECT_EQ(this->queue.size_estimate(), 0U);
}

TYPED_TEST(mpmc_queue_test, popped_elements_own_the_node_before_theirs) {
    auto& first = this->items[0];
    auto& second = this->items[1];
    this->queue.push(&first);
    this->queue.push(&second);
    auto* const node_of_first = first.node;
    auto* const node_of_second = second.node;
    ASSERT_EQ(this->queue.pop(), &first);
    EXPECT_NE(first.node, node_of_first);
    ASSERT_EQ(this->queue.pop(), &second);
    EXPECT_EQ(second.node, node_of_first);
    EXPECT_NE(first.node, second.node);
    EXPECT_NE(first.node, node_of_second);
}

TYPED_TEST(mpmc_queue_test, elements_move_between_queues_that_come_and_go) {
    for (int round = 0; round < 100; ++round) {
        typename TestFixture::queue_type other;
        for (auto& each : this->items) {
            this->queue.push(&each);
        }
        while (auto* const moved = this->queue.pop()) {
            other.push(moved);
        }
        for (auto& each : this->items) {
            ASSERT_EQ(other.pop(), &each);
        }
    }
    std::set<void*> nodes;
    for (auto& each : this->items) {
        nodes.insert(each.node);
    }
    EXPECT_EQ(nodes.size(), this->items.size());
}

TYPED_TEST(mpmc_queue_test, a_queue_may_be_destroyed_with_elements_in_it) {
    {
        typename TestFixture::queue_type other;
        other.push(&this->items[0]);
    }
    this->queue.push(&this->items[0]);
    EXPECT_EQ(this->queue.pop(), &this->items[0]);
}

TYPED_TEST(mpmc_queue_test, stress_loses_and_doubles_nothing_and_keeps_each_producers_order) {
    using pushed_item = element<TypeParam>;
    constexpr std::size_t producers = 2;
    constexpr std::size_t consumers = 2;
    constexpr std::size_t each_pushes = 200'000;
    std::vector<std::vector<pushed_item>> all;
    for (std::size_t producer = 0; producer < producers; ++producer) {
        all.emplace_back(each_pushes);
    }
    std::atomic<std::size_t> taken{0};
    std::vector<std::thread> threads;
    for (std::size_t producer = 0; producer < producers; ++producer) {
        threads.emplace_back([&, producer] {
            for (std::size_t number = 0; number < each_pushes; ++number) {
                pushed_item& pushed = all[producer][number];
                pushed.producer = producer;
                pushed.number = number + 1;
                this->queue.push(&pushed);
            }
        });
    }
    for (std::size_t consumer = 0; consumer < consumers; ++consumer) {
        threads.emplace_back([&] {
            std::array<std::size_t, producers> last{};
            while (taken.load(std::memory_order_relaxed) < producers * each_pushes) {
                pushed_item* const popped = this->queue.pop();
                if (popped == nullptr) {
                    std::this_thread::yield();
                    continue;
                }
                EXPECT_LT(last[popped->producer], popped->number);
                last[popped->producer] = popped->number;
                popped->takers.fetch_add(1, std::memory_order_relaxed);
                taken.fetch_add(1, std::memory_order_relaxed);
            }
        });
    }
    for (std::thread& each : threads) {
        each.join();
    }
    EXPECT_TRUE(this->queue.empty_estimate());
    EXPECT_EQ(this->queue.size_estimate(), 0U);
    std::set<void*> nodes;
    for (auto& list : all) {
        for (pushed_item& each : list) {
            ASSERT_EQ(each.takers.load(std::memory_order_relaxed), 1);
            ASSERT_TRUE(nodes.insert(each.node).second);
            traits<TypeParam>::give_node(each.node);
        }
    }
}

// Few elements, so that nodes and tags are reused all the time.
TYPED_TEST(mpmc_queue_test, stress_few_elements_go_round_two_queues) {
    constexpr int rounds = 500'000;
    typename TestFixture::queue_type other;
    for (std::size_t each = 0; each < 4; ++each) {
        this->queue.push(&this->items[each]);
    }
    const auto move = [&](auto& from, auto& to) {
        for (int round = 0; round < rounds; ++round) {
            if (auto* const moved = from.pop()) {
                EXPECT_EQ(moved->takers.fetch_add(1, std::memory_order_relaxed), 0);
                moved->takers.fetch_sub(1, std::memory_order_relaxed);
                to.push(moved);
            }
        }
    };
    std::vector<std::thread> threads;
    threads.emplace_back([&] { move(this->queue, other); });
    threads.emplace_back([&] { move(other, this->queue); });
    threads.emplace_back([&] { move(this->queue, this->queue); });
    for (std::thread& each : threads) {
        each.join();
    }
    EXPECT_EQ(this->queue.size_estimate() + other.size_estimate(), 4U);
    std::size_t left = 0;
    while (this->queue.pop() != nullptr || other.pop() != nullptr) {
        ++left;
    }
    EXPECT_EQ(left, 4U);
}

TEST(tagged_address, packs_and_unpacks) {
    const auto node = std::make_unique<ds::mpmc_node<>>();
    const std::uint64_t packed = ds::tagged_address::pack(node.get(), 5);
    EXPECT_EQ(ds::tagged_address::address<ds::mpmc_node<>>(packed), node.get());
    EXPECT_EQ(ds::tagged_address::tag(packed), 5U);
    EXPECT_EQ(ds::tagged_address::tag(ds::tagged_address::after(packed, nullptr)), 6U);
    EXPECT_EQ(
        ds::tagged_address::address<ds::mpmc_node<>>(ds::tagged_address::after(packed, nullptr)),
        nullptr);
}

TEST(tagged_address, tags_wrap_without_touching_the_address) {
    const auto node = std::make_unique<ds::mpmc_node<>>();
    const std::uint64_t last = ds::tagged_address::pack(node.get(), (std::uint64_t{1} << 22) - 1);
    const std::uint64_t wrapped = ds::tagged_address::after(last, node.get());
    EXPECT_EQ(ds::tagged_address::address<ds::mpmc_node<>>(wrapped), node.get());
    EXPECT_EQ(ds::tagged_address::tag(wrapped), 0U);
}

TEST(tagged_address, refuses_addresses_that_do_not_fit) {
    EXPECT_TRUE(
        ds::tagged_address::fits(reinterpret_cast<void*>(std::uintptr_t{0xffff'ffff'ffc0})));
    EXPECT_FALSE(
        ds::tagged_address::fits(reinterpret_cast<void*>(std::uintptr_t{0x1'0000'0000'0000})));
    EXPECT_FALSE(ds::tagged_address::fits(reinterpret_cast<void*>(std::uintptr_t{0x1020})));
}

TEST(node_slab, gives_each_node_once_and_reuses_those_given_back) {
    auto& slab = ds::node_slab<>::instance();
    std::set<ds::mpmc_node<>*> taken;
    for (int each = 0; each < 200; ++each) {
        EXPECT_TRUE(taken.insert(slab.take()).second);
    }
    for (auto* const each : taken) {
        slab.give_back(each);
    }
    auto* const again = slab.take();
    EXPECT_EQ(taken.count(again), 1U);
    slab.give_back(again);
}

}  // namespace
}  // namespace lazult
