// SPDX-License-Identifier: BSD-3-Clause
// A task that somebody has in hand is in no queue. Flows that look for it meanwhile go to sleep, and are told when it is back.
#include "tasks/task_queue.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "tasks/tasking.hpp"
#include "waiting/waiting.hpp"

namespace lazult::omp {
namespace {

// A team without threads, of which a task waits for its child.
class TaskInHand : public ::testing::Test {
protected:
    TaskInHand() {
        child_.its_team = other_child_.its_team = &team_;
        child_.parent = other_child_.parent = &parent_;
    }
    // As wait_for_children(), by another OS thread, when it has looked everywhere.
    void go_to_sleep() {
        sleeper_ = std::thread([this, news = team_.news()] {
            park_while(wait_kind::tasks, &parent_, [this, news] { return team_.news() == news; });
        });
        short_wait patience;
        while (bucket_of(&parent_).waiting.load(std::memory_order_acquire) == 0) {
            patience.pause();  // pairs with: park_while(), fetch_add
        }
    }
    // Hangs where nobody woke it: the test's time limit is the check.
    void expect_awake() { sleeper_.join(); }

    team team_;
    task parent_;
    task child_;
    task other_child_;
    task_queue owner_;
    task_queue thief_;
    std::thread sleeper_;
};

constexpr auto any = [](const task&) { return true; };

TEST_F(TaskInHand, ThiefThatPutsItBackTells) {
    owner_.push(&child_);
    const auto unfit = [this](const task&) {
        EXPECT_EQ(owner_.take(any), nullptr);
        go_to_sleep();
        return false;
    };
    EXPECT_EQ(owner_.steal(thief_, unfit), nullptr);
    expect_awake();
    EXPECT_EQ(owner_.take(any), &child_);
}

TEST_F(TaskInHand, OwnerThatDigsTells) {
    owner_.push(&child_);
    const auto unfit = [this](const task&) {
        if (!sleeper_.joinable()) {
            EXPECT_EQ(owner_.steal(thief_, any), nullptr);
            go_to_sleep();
        }
        return false;
    };
    EXPECT_EQ(owner_.dig(unfit), nullptr);
    expect_awake();
    EXPECT_EQ(owner_.steal(thief_, any), &child_);
}

// Two were put where thieves may look; a third thief takes one and moves the other one.
TEST_F(TaskInHand, ThiefThatMovesItTells) {
    owner_.push(&child_);
    owner_.push(&other_child_);
    task third;
    third.its_team = &team_;
    third.parent = &parent_;
    owner_.push(&third);
    const auto none = [](const task&) { return false; };
    EXPECT_EQ(owner_.dig(none), nullptr);
    const std::uint64_t before = team_.news();
    go_to_sleep();
    EXPECT_NE(owner_.steal(thief_, any), nullptr);
    expect_awake();
    EXPECT_NE(team_.news(), before);
    EXPECT_NE(thief_.take(any), nullptr);
}

// Who looks again and again, and may not start it, is not to keep itself awake.
TEST_F(TaskInHand, OwnerThatLooksAtItMayGoToSleep) {
    owner_.push(&child_);
    const std::uint64_t before = team_.news();
    EXPECT_EQ(owner_.take([](const task&) { return false; }), nullptr);
    EXPECT_EQ(team_.news(), before);
    EXPECT_EQ(owner_.take(any), &child_);
}

}  // namespace
}  // namespace lazult::omp
