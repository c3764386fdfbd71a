// SPDX-License-Identifier: BSD-3-Clause
// A task that a thread has in hand is in no queue. Threads that look for it meanwhile go to sleep,
// and are woken when it is back.
#include "model/basic_task_queue.hpp"

#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "model/team.hpp"
#include "waiting/parking.hpp"
#include "waiting/patience.hpp"

namespace lazult::omp {
namespace {

// A team without threads, of which a task waits for its child.
class TaskInHand : public ::testing::Test {
protected:
    TaskInHand() {
        child_.its_team = other_child_.its_team = &team_;
        child_.parent = other_child_.parent = &parent_;
        parent_.on = &creator_;
    }
    // As wait_for_children(), by another OS thread, when it has looked everywhere.
    void go_to_sleep() {
        sleeper_ = std::thread([this, news = team_.news()] {
            park_while(own_wait::tasks, &parent_, [this, news] { return team_.news() == news; });
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
    thread creator_;
    task_queue& owner_ = creator_.tasks;
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
    EXPECT_EQ(owner_.dig(unfit, 0), nullptr);
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
    EXPECT_EQ(owner_.dig(none, 0), nullptr);
    const std::uint64_t before = team_.news();
    go_to_sleep();
    EXPECT_NE(owner_.steal(thief_, any), nullptr);
    expect_awake();
    EXPECT_NE(team_.news(), before);
    EXPECT_NE(thief_.take(any), nullptr);
}

// An owner that looks again and again at a task that it may not start must not keep itself awake.
TEST_F(TaskInHand, OwnerThatLooksAtItMayGoToSleep) {
    owner_.push(&child_);
    const std::uint64_t before = team_.news();
    EXPECT_EQ(owner_.take([](const task&) { return false; }), nullptr);
    EXPECT_EQ(team_.news(), before);
    EXPECT_EQ(owner_.take(any), &child_);
}

// --- what a look costs, by how many others wait

class ManyTasks : public ::testing::Test {
protected:
    ManyTasks() {
        mine_.on = others_.on = &creator_;
        for (task& each : many_) {
            add(each, others_);
        }
    }
    void add(task& t, task& parent) {
        t.its_team = &team_;
        t.parent = &parent;
        t.depth = parent.depth + 1;
        creator_.tasks.push(&t);
    }
    // Counts the tasks that it is shown, of which only this parent's fit.
    auto child_of(const task& parent) {
        return [this, &parent](const task& what) {
            ++looks_;
            return what.parent == &parent;
        };
    }

    team team_;
    thread creator_;
    task_queue thief_;
    task mine_;
    task others_;
    std::array<task, 10000> many_;
    task child_;
    int looks_ = 0;
};

TEST_F(ManyTasks, ChildIsFoundAmongExposedOnesAtOnce) {
    add(child_, mine_);
    EXPECT_EQ(creator_.tasks.dig([](const task&) { return false; }, 0), nullptr);
    EXPECT_EQ(creator_.tasks.take_exposed_child(mine_), &child_);
    EXPECT_EQ(creator_.tasks.take_exposed_child(mine_), nullptr);
}

TEST_F(ManyTasks, LookForADescendantIsShort) {
    EXPECT_EQ(creator_.tasks.dig([](const task&) { return false; }, 0), nullptr);
    EXPECT_EQ(creator_.tasks.take(child_of(mine_)), nullptr);
    EXPECT_EQ(creator_.tasks.steal(thief_, child_of(mine_)), nullptr);
    EXPECT_LE(looks_, 20);
}

// Nothing below the first child of the task that waits.
TEST_F(ManyTasks, TaskwaitDigsNoDeeperThanItsFirstChild) {
    add(child_, mine_);
    task above;
    add(above, others_);
    EXPECT_EQ(creator_.tasks.dig(child_of(mine_), mine_.lowest_child), &child_);
    EXPECT_EQ(creator_.tasks.dig(child_of(mine_), mine_.lowest_child), nullptr);
    EXPECT_EQ(looks_, 2);
    EXPECT_EQ(creator_.tasks.take_exposed_child(others_), &above);
}

// What a thief has moved to its own deque comes back to where it was created, when the parent asks
// for it.
TEST_F(ManyTasks, TaskThatIsAwayComesBack) {
    EXPECT_EQ(creator_.tasks.dig([](const task&) { return false; }, 0), nullptr);
    EXPECT_NE(creator_.tasks.steal(thief_, any), nullptr);
    const std::uint32_t away = others_.away.load(std::memory_order_relaxed);
    EXPECT_EQ(away, task_queue::most_at_once);
    EXPECT_EQ(thief_.steal(creator_.tasks, [](const task&) { return false; }), nullptr);
    EXPECT_EQ(others_.away.load(std::memory_order_relaxed), away - 1);
    EXPECT_NE(creator_.tasks.take_exposed_child(others_), nullptr);
    while (thief_.take_newest(any) != nullptr) {
    }
    EXPECT_EQ(others_.away.load(std::memory_order_relaxed), 0U);
}

}  // namespace
}  // namespace lazult::omp
