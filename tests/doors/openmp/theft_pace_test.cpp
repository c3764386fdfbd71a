// SPDX-License-Identifier: BSD-3-Clause
// When a thread that waits asks others for tasks: always, but after tasks that were small.
#include "model/theft_pace.hpp"

#include <gtest/gtest.h>

namespace lazult::omp {
namespace {

constexpr std::int64_t spin = 50'000;

TEST(TheftPace, AsksAtOnceAtFirst) {
    theft_pace pace;
    EXPECT_TRUE(pace.are_due());
    EXPECT_EQ(pace.wanted(), theft_pace::most_tasks);
}

TEST(TheftPace, GoesOnWhereTasksAreLarge) {
    theft_pace pace;
    pace.begin(10, 1000);
    EXPECT_FALSE(pace.are_due());
    EXPECT_TRUE(pace.are_due(1000 + 10 * theft_pace::least_of_a_task, spin));
    EXPECT_TRUE(pace.are_due());
    EXPECT_EQ(pace.wanted(), theft_pace::most_tasks);
}

TEST(TheftPace, PausesAfterSmallOnesAndThenTakesASample) {
    theft_pace pace;
    pace.begin(10, 1000);
    EXPECT_FALSE(pace.are_due(2000, spin));
    EXPECT_FALSE(pace.are_due(2000 + theft_pace::times_as_long * 1000 - 1, spin));
    EXPECT_TRUE(pace.are_due(2000 + theft_pace::times_as_long * 1000, spin));
    EXPECT_EQ(pace.wanted(), theft_pace::sample);
}

TEST(TheftPace, ASampleOfLargeOnesEndsThat) {
    theft_pace pace;
    pace.begin(10, 1000);
    EXPECT_FALSE(pace.are_due(2000, spin));
    pace.begin(2, 100'000);
    EXPECT_TRUE(pace.are_due(101'000, spin));
    EXPECT_EQ(pace.wanted(), theft_pace::most_tasks);
}

// Not so long that the thread sleeps meanwhile.
TEST(TheftPace, PausesAreShorterThanSpinning) {
    theft_pace pace;
    pace.begin(1000, 0);
    EXPECT_FALSE(pace.are_due(200'000, 10'000));
    EXPECT_TRUE(pace.are_due(207'500, 10'000));
    pace.begin(1000, 300'000);
    EXPECT_TRUE(pace.are_due(500'000, 0));
}

}  // namespace
}  // namespace lazult::omp
