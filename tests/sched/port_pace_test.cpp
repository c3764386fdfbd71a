// SPDX-License-Identifier: BSD-3-Clause
// A stream looks into its port again when the units have run that its last look woke.
#include "lazult/sched/port_pace.hpp"

#include <gtest/gtest.h>

namespace lazult::sched {
namespace {

TEST(port_pace, looks_each_time_while_a_look_wakes_few) {
    port_pace p;
    for (int i = 0; i < 100; ++i) {
        EXPECT_TRUE(p.is_due(8));
        p.has_looked(i % 9);
    }
}

TEST(port_pace, lets_those_run_that_the_last_look_woke) {
    port_pace p;
    p.has_looked(32);
    EXPECT_FALSE(p.is_due(8));
    EXPECT_FALSE(p.is_due(8));
    EXPECT_FALSE(p.is_due(8));
    EXPECT_TRUE(p.is_due(8));
    p.has_looked(0);
    EXPECT_TRUE(p.is_due(8));
}

TEST(port_pace, puts_nine_looks_off_at_most) {
    port_pace p;
    for (int round = 0; round < 3; ++round) {
        p.has_looked(1000);
        for (int i = 0; i < 9; ++i) {
            EXPECT_FALSE(p.is_due(1));
        }
        EXPECT_TRUE(p.is_due(1));
    }
}

}  // namespace
}  // namespace lazult::sched
