// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/ds/coarse_count.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace lazult::ds {
namespace {

int pairs(int number) { return number / 2; }

TEST(coarse_count, follows_the_number) {
    coarse_count<> some(0);
    some.add(1, pairs);
    EXPECT_EQ(some.what_follows(), 0);
    some.add(4, pairs);
    EXPECT_EQ(some.what_follows(), 2);
    some.add(-4, pairs);
    EXPECT_EQ(some.what_follows(), 0);
}

TEST(coarse_count, begins_anew) {
    coarse_count<> some(0);
    some.add(5, pairs);
    some.reset(0);
    EXPECT_EQ(some.what_follows(), 0);
    some.add(2, pairs);
    EXPECT_EQ(some.what_follows(), 1);
}

TEST(coarse_count, follows_the_last_number_of_several_threads) {
    coarse_count<> some(0);
    std::vector<std::thread> all;
    for (int i = 0; i < 4; ++i) {
        all.emplace_back([&] {
            for (int round = 0; round < 5000; ++round) {
                some.add(3, pairs);
                some.add(-3, pairs);
            }
            some.add(1, pairs);
        });
    }
    for (std::thread& each : all) {
        each.join();
    }
    EXPECT_EQ(some.what_follows(), 2);
}

}  // namespace
}  // namespace lazult::ds
