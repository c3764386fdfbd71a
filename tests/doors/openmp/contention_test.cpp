// SPDX-License-Identifier: BSD-3-Clause
// When a thread believes that another program wants its processor.
#include "waiting/contention.hpp"

#include <gtest/gtest.h>

using lazult::omp::contention;

namespace {

constexpr std::int64_t start = 1'000'000'000;
constexpr std::int64_t long_time = contention::too_long + 1;
constexpr bool alone = false;
constexpr bool in_a_crowd = true;

TEST(Contention, IsNotKnownAtFirst) {
    const contention fresh;
    EXPECT_FALSE(fresh.is_known(start));
}

TEST(Contention, AShortYieldSaysNothing) {
    contention seen;
    seen.note_yield(start, start + contention::too_long, alone);
    EXPECT_FALSE(seen.is_known(start + contention::too_long));
}

TEST(Contention, ALongYieldIsRememberedForAWhile) {
    contention seen;
    const std::int64_t end = start + long_time;
    seen.note_yield(start, end, alone);
    EXPECT_TRUE(seen.is_known(end));
    EXPECT_TRUE(seen.is_known(end + contention::remembered - 1));
    EXPECT_FALSE(seen.is_known(end + contention::remembered));
}

TEST(Contention, AShortYieldDoesNotMakeItForgotten) {
    contention seen;
    const std::int64_t end = start + long_time;
    seen.note_yield(start, end, alone);
    seen.note_yield(end, end + 1, alone);
    EXPECT_TRUE(seen.is_known(end + 1));
}

TEST(Contention, OneLongYieldInACrowdMayBeTheCrowds) {
    contention seen;
    std::int64_t now = start;
    for (int round = 0; round < 3; ++round) {
        seen.note_yield(now, now + long_time, in_a_crowd);
        EXPECT_FALSE(seen.is_known(now + long_time));
        seen.note_yield(now + long_time, now + long_time + 1, in_a_crowd);
        now += long_time + 1;
    }
}

TEST(Contention, TwoLongYieldsInARowAreAnotherPrograms) {
    contention seen;
    seen.note_yield(start, start + long_time, in_a_crowd);
    seen.note_yield(start + long_time, start + 2 * long_time, in_a_crowd);
    EXPECT_TRUE(seen.is_known(start + 2 * long_time));
}

TEST(Contention, IsKnownAgainByOneLongYieldAfterItsTime) {
    contention seen;
    seen.note_yield(start, start + long_time, in_a_crowd);
    seen.note_yield(start + long_time, start + 2 * long_time, in_a_crowd);
    const std::int64_t later = start + 2 * long_time + contention::remembered;
    EXPECT_FALSE(seen.is_known(later));
    seen.note_yield(later, later + long_time, in_a_crowd);
    EXPECT_TRUE(seen.is_known(later + long_time));
}

}  // namespace
