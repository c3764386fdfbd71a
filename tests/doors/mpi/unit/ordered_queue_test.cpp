// SPDX-License-Identifier: BSD-3-Clause
#include "adapt/ordered_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <vector>

namespace {

using queue = lazult::mpi::ordered_queue<int>;

std::vector<int> contents(const queue& q) {
    std::vector<int> all;
    for (std::size_t i = q.first(); i < q.end(); ++i) {
        if (q.at(i) != 0) {
            all.push_back(q.at(i));
        }
    }
    return all;
}

void push(queue& q, int value) {
    ASSERT_TRUE(q.reserve_one());
    q.push_back(value);
}

TEST(ordered_queue, keeps_the_order_around_holes) {
    queue q;
    for (int i = 1; i <= 5; ++i) {
        push(q, i);
    }
    q.take_out(q.first() + 2);
    EXPECT_EQ(contents(q), (std::vector<int>{1, 2, 4, 5}));
    q.take_out(q.first());
    q.take_out(q.first());
    EXPECT_EQ(q.at(q.first()), 4);
    EXPECT_EQ(q.size(), 2U);
}

TEST(ordered_queue, the_first_place_is_never_a_hole) {
    queue q;
    for (int i = 1; i <= 3; ++i) {
        push(q, i);
    }
    q.take_out(q.first() + 1);
    q.take_out(q.first());
    EXPECT_EQ(q.at(q.first()), 3);
    q.take_out(q.first());
    EXPECT_EQ(q.size(), 0U);
    EXPECT_EQ(q.first(), q.end());
}

// Against a plain sequence; it grows and closes its holes many times.
TEST(ordered_queue, is_a_sequence) {
    std::mt19937 random(1);
    queue q;
    std::deque<int> model;
    for (int i = 1; i <= 20'000; ++i) {
        if (model.empty() || random() % 100 < 52) {
            push(q, i);
            model.push_back(i);
            continue;
        }
        std::size_t position = q.first() + random() % (q.end() - q.first());
        while (q.at(position) == 0) {
            --position;
        }
        model.erase(std::find(model.begin(), model.end(), q.at(position)));
        q.take_out(position);
        ASSERT_EQ(q.size(), model.size());
    }
    EXPECT_EQ(contents(q), std::vector<int>(model.begin(), model.end()));
}

}  // namespace
