// SPDX-License-Identifier: BSD-3-Clause
// Where a thread is pushing, however deep.
#include "lazult/core/unit/push_places.hpp"

#include <gtest/gtest.h>

#include <array>

namespace {

using lazult::core::push_places;

TEST(push_places, holds_what_was_entered_and_not_left) {
    push_places<> places;
    const std::array<int, 4> pools{};
    EXPECT_FALSE(places.holds(&pools[0]));
    places.enter(&pools[0]);
    places.enter(&pools[1]);
    EXPECT_TRUE(places.holds(&pools[0]));
    EXPECT_TRUE(places.holds(&pools[1]));
    EXPECT_FALSE(places.holds(&pools[2]));
    places.leave();
    EXPECT_FALSE(places.holds(&pools[1]));
    places.leave();
    EXPECT_FALSE(places.holds(&pools[0]));
}

// Deeper than there are places, the last one stands for all pools until the push that it was taken
// for ends.
TEST(push_places, holds_every_pool_where_there_are_more_pushes_than_places) {
    push_places<lazult::ds::default_atomics, 3> places;
    const std::array<int, 6> pools{};
    for (int i = 0; i < 5; ++i) {
        places.enter(&pools[static_cast<std::size_t>(i)]);
    }
    for (const int& each : pools) {
        EXPECT_TRUE(places.holds(&each));
    }
    places.leave();
    places.leave();  // three are left, and which one was third is forgotten
    EXPECT_TRUE(places.holds(&pools[5]));
    places.leave();
    EXPECT_TRUE(places.holds(&pools[0]));
    EXPECT_TRUE(places.holds(&pools[1]));
    EXPECT_FALSE(places.holds(&pools[2]));
    EXPECT_FALSE(places.holds(&pools[5]));
}

}  // namespace
