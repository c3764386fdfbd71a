// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/base/base.hpp"

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <list>
#include <vector>

namespace {

using lazult::base::intrusive_fifo;
using lazult::base::intrusive_list;
using lazult::base::list_node;
using lazult::base::xorshift64;

struct waiter {
    int value = 0;
    waiter* next = nullptr;
};
using waiters = intrusive_fifo<waiter, &waiter::next>;

template <class Queue>
std::vector<int> values(const Queue& queue) {
    std::vector<int> found;
    for (auto* here = queue.front(); here != nullptr; here = queue.next(here)) {
        found.push_back(here->value);
    }
    return found;
}

using ints = std::vector<int>;

TEST(intrusive_fifo, is_first_in_first_out) {
    std::array<waiter, 3> items{{{1}, {2}, {3}}};
    waiters queue;
    EXPECT_TRUE(queue.empty());
    EXPECT_EQ(queue.pop_front(), nullptr);
    for (waiter& item : items) queue.push_back(&item);
    EXPECT_EQ(queue.front(), &items[0]);
    EXPECT_EQ(queue.back(), &items[2]);
    for (waiter& item : items) EXPECT_EQ(queue.pop_front(), &item);
    EXPECT_TRUE(queue.empty());
    EXPECT_EQ(queue.back(), nullptr);
}

TEST(intrusive_fifo, push_front_jumps_the_queue) {
    std::array<waiter, 3> items{{{1}, {2}, {3}}};
    waiters queue;
    queue.push_front(&items[0]);
    queue.push_back(&items[1]);
    queue.push_front(&items[2]);
    EXPECT_EQ(values(queue), (ints{3, 1, 2}));
}

TEST(intrusive_fifo, removes_first_middle_last_and_only) {
    for (int victim = 0; victim < 3; ++victim) {
        std::array<waiter, 4> items{{{0}, {1}, {2}, {3}}};
        waiters queue;
        for (int i = 0; i < 3; ++i) queue.push_back(&items[static_cast<std::size_t>(i)]);
        EXPECT_TRUE(queue.remove(&items[static_cast<std::size_t>(victim)]));
        EXPECT_FALSE(queue.remove(&items[static_cast<std::size_t>(victim)]));
        queue.push_back(&items[3]);
        ints expected{0, 1, 2, 3};
        expected.erase(expected.begin() + victim);
        EXPECT_EQ(values(queue), expected);
    }
    waiter only{7};
    waiters queue;
    queue.push_back(&only);
    EXPECT_TRUE(queue.remove(&only));
    EXPECT_TRUE(queue.empty());
    EXPECT_EQ(queue.back(), nullptr);
}

TEST(intrusive_fifo, append_takes_everything_in_order) {
    std::array<waiter, 4> items{{{0}, {1}, {2}, {3}}};
    waiters a;
    waiters b;
    a.append(b);
    EXPECT_TRUE(a.empty());
    b.push_back(&items[0]);
    a.append(b);
    EXPECT_TRUE(b.empty());
    b.push_back(&items[1]);
    b.push_back(&items[2]);
    a.append(b);
    a.append(a);
    a.push_back(&items[3]);
    EXPECT_EQ(values(a), (ints{0, 1, 2, 3}));
    waiters moved(std::move(a));
    EXPECT_EQ(values(moved), (ints{0, 1, 2, 3}));
    EXPECT_EQ(moved.back(), &items[3]);
}

TEST(intrusive_fifo, clears_the_link_of_what_leaves) {
    std::array<waiter, 2> items{};
    waiters queue;
    queue.push_back(&items[0]);
    queue.push_back(&items[1]);
    queue.pop_front();
    EXPECT_EQ(items[0].next, nullptr);
}

struct unit {
    unit* link = nullptr;
};
struct thread : unit {
    int value = 0;
};

TEST(intrusive_fifo, links_through_a_member_of_a_base_class) {
    std::array<thread, 2> items;
    intrusive_fifo<thread, &unit::link> queue;
    queue.push_back(&items[0]);
    queue.push_back(&items[1]);
    EXPECT_EQ(queue.pop_front(), &items[0]);
    EXPECT_EQ(queue.pop_front(), &items[1]);
}

struct entry : list_node {
    explicit entry(int v = 0) : value(v) {}
    int value;
};

TEST(intrusive_list, pushes_and_pops_at_both_ends) {
    std::array<entry, 3> items{entry(1), entry(2), entry(3)};
    intrusive_list<entry> list;
    EXPECT_EQ(list.pop_front(), nullptr);
    EXPECT_EQ(list.front(), nullptr);
    list.push_back(&items[1]);
    list.push_back(&items[2]);
    list.push_front(&items[0]);
    EXPECT_EQ(values(list), (ints{1, 2, 3}));
    EXPECT_EQ(list.pop_back(), &items[2]);
    EXPECT_EQ(list.pop_front(), &items[0]);
    EXPECT_EQ(list.back(), &items[1]);
}

TEST(intrusive_list, a_node_knows_whether_it_is_linked) {
    entry item(1);
    intrusive_list<entry> list;
    EXPECT_FALSE(item.linked());
    list.push_back(&item);
    EXPECT_TRUE(item.linked());
    const entry copy = item;
    EXPECT_FALSE(copy.linked());
    list.erase(&item);
    EXPECT_FALSE(item.linked());
    EXPECT_TRUE(list.empty());
}

TEST(intrusive_list, behaves_as_a_standard_list_under_random_operations) {
    xorshift64 random(1);
    std::array<entry, 16> items;
    for (std::size_t i = 0; i < items.size(); ++i) items[i].value = static_cast<int>(i);
    intrusive_list<entry> list;
    std::list<int> model;
    for (int step = 0; step < 10'000; ++step) {
        entry& item = items[random.below(16)];
        if (item.linked()) {
            list.erase(&item);
            model.remove(item.value);
        } else if (random.below(2) == 0) {
            list.push_back(&item);
            model.push_back(item.value);
        } else {
            list.push_front(&item);
            model.push_front(item.value);
        }
        ASSERT_EQ(values(list), ints(model.begin(), model.end()));
    }
}

}  // namespace
