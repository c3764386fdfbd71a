// SPDX-License-Identifier: BSD-3-Clause
// What doors ask to hear of their units.
#include "lazult/core/unit/door_hooks.hpp"

#include <gtest/gtest.h>

#include "tests/support/runtime.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;

using hook = int (*)(int);
template <int added>
int plus(int to) {
    return to + added;
}

int sum_of(const core::door_hooks<hook>& hooks, std::uint16_t user_bits) {
    work_unit u;
    u.header.user_bits = user_bits;
    int sum = 0;
    hooks.for_each(u, [&](hook each) { sum = each(sum); });
    return sum;
}

TEST(door_hooks, are_called_for_units_that_bear_one_of_their_bits) {
    core::door_hooks<hook> hooks;
    EXPECT_TRUE(hooks.add(1, plus<1>));
    EXPECT_TRUE(hooks.add(2 | 4, plus<10>));
    EXPECT_EQ(sum_of(hooks, 0), 0);
    EXPECT_EQ(sum_of(hooks, 1), 1);
    EXPECT_EQ(sum_of(hooks, 4), 10);
    EXPECT_EQ(sum_of(hooks, 1 | 2), 11);
}

TEST(door_hooks, are_added_once) {
    core::door_hooks<hook> hooks;
    EXPECT_TRUE(hooks.add(1, plus<1>));
    EXPECT_TRUE(hooks.add(1, plus<1>));
    EXPECT_EQ(sum_of(hooks, 1), 1);
    EXPECT_TRUE(hooks.add(2, plus<1>));  // the same function for other units
    EXPECT_TRUE(hooks.add(1, plus<2>));  // and another one for the same
    EXPECT_EQ(sum_of(hooks, 1), 3);
    EXPECT_EQ(sum_of(hooks, 2), 1);
}

TEST(door_hooks, are_refused_where_there_are_too_many) {
    core::door_hooks<hook> hooks;
    std::uint16_t bits = 0;
    while (hooks.add(static_cast<std::uint16_t>(bits + 1), plus<1>)) {
        ++bits;
        ASSERT_LT(bits, 1000);
    }
    EXPECT_GE(bits, 8);
    EXPECT_TRUE(hooks.add(1, plus<1>)) << "that is there";
    EXPECT_FALSE(hooks.add(1, plus<2>));
}

}  // namespace
