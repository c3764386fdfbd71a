// SPDX-License-Identifier: BSD-3-Clause
// The number of scheduling points between two looks at events follows the time that they take.
#include "lazult/core/switch/look_period.hpp"

#include <gtest/gtest.h>

namespace lazult::core {
namespace {

constexpr std::uint64_t long_enough = 1000;

struct clocked_period {
    explicit clocked_period(int longest) { period.set_longest(longest); }
    int after(std::uint64_t ticks) { return period.after_look(now += ticks); }

    look_period period{long_enough};
    std::uint64_t now = 1'000'000;
};

TEST(look_period, is_the_longest_while_points_are_frequent) {
    clocked_period p(64);
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(p.after(300), 64);
    }
}

TEST(look_period, becomes_as_short_as_the_points_are_far_apart) {
    clocked_period p(64);
    EXPECT_EQ(p.after(1), 64);
    EXPECT_EQ(p.after(4 * long_enough), 16);
    EXPECT_EQ(p.after(long_enough), 16);
    EXPECT_EQ(p.after(1000 * long_enough), 1);
    EXPECT_EQ(p.after(1000 * long_enough), 1);
}

TEST(look_period, grows_again) {
    clocked_period p(50);
    p.after(1);
    EXPECT_EQ(p.after(1000 * long_enough), 1);
    for (const int wanted : {2, 4, 8, 16, 32, 50, 50}) {
        EXPECT_EQ(p.after(long_enough / 4), wanted);
    }
}

TEST(look_period, does_not_count_sleep) {
    clocked_period p(64);
    p.after(1);
    p.period.forget_last_look();
    EXPECT_EQ(p.after(1'000'000 * long_enough), 64);
    EXPECT_EQ(p.after(2 * long_enough), 32);
}

}  // namespace
}  // namespace lazult::core
