// SPDX-License-Identifier: BSD-3-Clause
// A thread that is ahead of another one by more constructs than there are slots; both by turns on
// one OS thread.
#include "loops/extra_share.hpp"

#include <gtest/gtest.h>

#include "loops/work_sharing.hpp"

namespace lazult::omp {
namespace {

class TwoThreads : public ::testing::Test {
protected:
    TwoThreads() {
        team_.size = 2;
        reset_shares(team_);
        first_.its_team = second_.its_team = &team_;
    }
    ~TwoThreads() override { reset_shares(team_); }

    // Whether the thread was the first one there.
    static bool enter(thread& t) {
        const bool is_first = enter_share(t);
        if (is_first) {
            publish_share(t);
        }
        return is_first;
    }
    static void pass_through(thread& t, std::uint64_t constructs, bool expect_first) {
        for (std::uint64_t i = 0; i < constructs; ++i) {
            EXPECT_EQ(enter(t), expect_first) << i;
            leave_share(t);
        }
    }

    team team_;
    thread first_;
    thread second_;
};

TEST_F(TwoThreads, OneGoesAheadAndTheOtherFindsAllThatItLeft) {
    constexpr std::uint64_t ahead = 3 * share_slots + 2;
    pass_through(first_, ahead, true);
    EXPECT_NE(team_.extras, nullptr);
    pass_through(second_, ahead, false);
    EXPECT_EQ(team_.extras, nullptr);
}

TEST_F(TwoThreads, BehindThatTheyMeetInTheSlots) {
    constexpr std::uint64_t ahead = 2 * share_slots + 3;
    pass_through(first_, ahead, true);
    pass_through(second_, ahead, false);
    for (std::uint64_t i = 0; i < 2 * share_slots; ++i) {
        EXPECT_TRUE(enter(first_));
        EXPECT_EQ(first_.at.share, &team_.shares[(ahead + i) % share_slots]);
        EXPECT_FALSE(enter(second_));
        EXPECT_EQ(second_.at.share, first_.at.share);
        leave_share(second_);
        leave_share(first_);
    }
}

// The slot is free by the time when the construct after it, which stands elsewhere, is met.
TEST_F(TwoThreads, WhatStandsElsewhereStaysThere) {
    pass_through(first_, share_slots, true);
    EXPECT_TRUE(enter(first_));
    EXPECT_TRUE(first_.at.share->is_extra);
    pass_through(second_, share_slots, false);
    EXPECT_FALSE(enter(second_));
    EXPECT_EQ(second_.at.share, first_.at.share);
    pass_share(first_);
    pass_share(second_);
    EXPECT_EQ(team_.extras, nullptr);
    EXPECT_TRUE(enter(second_));
    EXPECT_FALSE(enter(first_));
}

TEST_F(TwoThreads, BehindACancelledRegionNobodyIsWaitedFor) {
    team_.cancelled.store(true, std::memory_order_relaxed);
    pass_through(first_, 100, true);
    reset_shares(team_);
    EXPECT_EQ(team_.extras, nullptr);
}

TEST(Departures, CountThreadsAndConstructs) {
    const departures some(departures::none(7) + 3 * departures::one_thread +
                          2 * departures::one_moved);
    EXPECT_EQ(some.threads(), 3U);
    EXPECT_EQ(some.moved(), 2U);
    EXPECT_TRUE(some.are_of(7));
    EXPECT_FALSE(some.are_of(15));
    EXPECT_TRUE(some.may_move_more());
    EXPECT_FALSE(departures(departures::none(7) + 0xffff * departures::one_moved).may_move_more());
}

}  // namespace
}  // namespace lazult::omp
