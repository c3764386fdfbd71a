// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/base/base.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace {

using lazult::base::xorshift64;

TEST(random, the_same_seed_gives_the_same_sequence) {
    xorshift64 a(42);
    xorshift64 b(42);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(a.next(), b.next());
}

TEST(random, every_seed_is_usable_and_neighbours_differ) {
    std::set<std::uint64_t> first;
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        xorshift64 random(seed);
        first.insert(random.next());
        EXPECT_NE(random.next(), random.next());
    }
    EXPECT_EQ(first.size(), 1000U);
}

TEST(random, below_stays_below_and_reaches_everything_evenly) {
    xorshift64 random(7);
    std::array<int, 10> hits{};
    for (int i = 0; i < 100'000; ++i) ++hits.at(random.below(10));
    for (int count : hits) {
        EXPECT_GT(count, 9'000);
        EXPECT_LT(count, 11'000);
    }
    EXPECT_EQ(random.below(0), 0U);
    EXPECT_EQ(random.below(1), 0U);
}

}  // namespace
