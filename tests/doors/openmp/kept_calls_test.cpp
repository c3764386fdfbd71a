// SPDX-License-Identifier: BSD-3-Clause
#include "model/kept_calls.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace {

using lazult::omp::kept_call;
using lazult::omp::kept_calls;
using lazult::omp::task;

void no_function(void*) {}

class calls : public testing::Test {
protected:
    void SetUp() override { ASSERT_TRUE(kept_.open()); }

    // As a creator does. False: it must look for another way.
    bool add(const task& creator, int number) {
        if (!kept_.can_add() && !kept_.raise_limit()) {
            return false;
        }
        kept_call& fresh = kept_.add();
        fresh.creator = reinterpret_cast<std::uintptr_t>(&creator);
        fresh.function = no_function;
        std::memcpy(fresh.arguments, &number, sizeof number);
        return true;
    }
    static int number_of(const kept_call& call) {
        int number = 0;
        std::memcpy(&number, call.arguments, sizeof number);
        return number;
    }
    std::vector<int> take_oldest(std::size_t count) {
        std::vector<int> taken;
        kept_.take_oldest(count, [&](const kept_call& each) { taken.push_back(number_of(each)); });
        return taken;
    }

    kept_calls kept_;
    task one_;
    task other_;
};

TEST_F(calls, are_taken_newest_first_whatever_their_number) {
    constexpr int many = 3 * static_cast<int>(kept_calls::least_capacity);
    for (int i = 0; i < many; ++i) {
        ASSERT_TRUE(add(i % 2 == 0 ? one_ : other_, i));
    }
    EXPECT_EQ(kept_.size(), std::size_t{many});
    for (int i = many - 1; i >= 0; --i) {
        ASSERT_TRUE(kept_.has_child_of(i % 2 == 0 ? one_ : other_));
        ASSERT_FALSE(kept_.has_child_of(i % 2 == 0 ? other_ : one_));
        ASSERT_EQ(number_of(kept_.take()), i);
    }
    EXPECT_TRUE(kept_.is_empty());
    EXPECT_FALSE(kept_.has_child_of(one_));
    EXPECT_FALSE(kept_.has_child_of(other_));
}

TEST_F(calls, the_oldest_are_taken_from_the_other_end) {
    for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE(add(one_, i));
    }
    EXPECT_EQ(take_oldest(3), (std::vector{0, 1, 2}));
    EXPECT_EQ(kept_.size(), 97U);
    EXPECT_EQ(kept_.children_of(one_), kept_calls::batch);
    EXPECT_EQ(take_oldest(0), std::vector<int>());
    for (int i = 99; i > 3; --i) {
        EXPECT_EQ(number_of(kept_.take()), i);
    }
    EXPECT_EQ(kept_.children_of(one_), 1U) << "those that were taken before it are nobody's";
    EXPECT_EQ(take_oldest(1), std::vector{3});
    EXPECT_TRUE(kept_.is_empty());
    EXPECT_FALSE(kept_.has_child_of(one_));
    EXPECT_TRUE(kept_.is_open());
    ASSERT_TRUE(add(other_, 7));
    EXPECT_EQ(number_of(kept_.take()), 7);
}

// The memory that the oldest leave is used again, and none is lost where it grows.
TEST_F(calls, go_in_at_one_end_and_out_at_both) {
    int newest = 0;
    int oldest = 0;
    for (int round = 0; round < 400; ++round) {
        for (int i = 0; i < 150; ++i) {
            ASSERT_TRUE(add(one_, newest++));
        }
        for (int i = 0; i < 30; ++i) {
            ASSERT_EQ(number_of(kept_.take()), --newest);
        }
        for (const int taken : take_oldest(110)) {
            ASSERT_EQ(taken, oldest++);
        }
    }
    EXPECT_EQ(kept_.size(), static_cast<std::size_t>(newest - oldest));
    for (const int taken : take_oldest(kept_.size())) {
        ASSERT_EQ(taken, oldest++);
    }
    EXPECT_EQ(newest, oldest);
}

// The oldest have gone, and so what is left stands at the end of the memory.
TEST_F(calls, begin_at_the_front_again_when_none_is_left) {
    constexpr int many = static_cast<int>(kept_calls::least_capacity);
    for (int i = 0; i < many; ++i) {
        ASSERT_TRUE(add(one_, i));
    }
    take_oldest(many - 10);
    for (int i = 0; i < 10; ++i) {
        kept_.take();
    }
    kept_.lower_limit();
    for (int i = 0; i < 2 * many; ++i) {
        ASSERT_TRUE(add(one_, i));
    }
    int expected = 0;
    for (const int taken : take_oldest(kept_.size())) {
        ASSERT_EQ(taken, expected++);
    }
}

TEST_F(calls, have_a_limit) {
    std::size_t added = 0;
    while (add(one_, 1)) {
        ++added;
    }
    EXPECT_EQ(added, kept_calls::most);
    EXPECT_FALSE(kept_.can_add());
    EXPECT_EQ(number_of(kept_.take()), 1);
    EXPECT_TRUE(add(one_, 2));
    take_oldest(kept_.size());
    kept_.shrink();
    EXPECT_FALSE(kept_.is_open());
    EXPECT_FALSE(kept_.can_add());
    EXPECT_FALSE(kept_.has_child_of(one_));
    EXPECT_TRUE(kept_.open());
    EXPECT_TRUE(add(one_, 3));
}

TEST_F(calls, none_is_added_while_they_are_closed) {
    ASSERT_TRUE(add(one_, 1));
    kept_.close();
    EXPECT_FALSE(kept_.can_add());
    EXPECT_EQ(number_of(kept_.take()), 1);
    EXPECT_FALSE(kept_.can_add());
    ASSERT_TRUE(kept_.open());
    EXPECT_TRUE(kept_.can_add());
}

}  // namespace
