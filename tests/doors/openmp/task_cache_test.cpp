// SPDX-License-Identifier: BSD-3-Clause
#include "model/task_cache.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace lazult::omp {
namespace {

class TaskCache : public ::testing::Test {
protected:
    ~TaskCache() override { take_back_all(); }
    void take(std::size_t bytes, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            task* const t = cache_.allocate(bytes);
            ASSERT_NE(t, nullptr);
            ASSERT_GE(t->capacity, bytes);
            std::fill_n(t->arguments(), bytes, std::byte{1});
            taken_.push_back(t);
        }
    }
    void take_back_all() {
        for (task* each : taken_) {
            task_cache::release(each, &cache_);
        }
        taken_.clear();
    }

    task_cache cache_;
    std::vector<task*> taken_;
};

TEST_F(TaskCache, LargerRecordsAreUsedAgain) {
    for (const std::size_t bytes : {129U, 160U, 512U, 513U, 1024U, 4096U, 8192U}) {
        task* const first = cache_.allocate(bytes);
        task_cache::release(first, &cache_);
        task* const second = cache_.allocate(bytes);
        EXPECT_EQ(first, second) << bytes;
        task_cache::release(second, &cache_);
    }
}

TEST_F(TaskCache, KeepsNoMoreThanItsBound) {
    for (const std::size_t bytes : {200U, 1000U, 5000U, 100000U, 300U}) {
        take(bytes, 2000);
        take_back_all();
        EXPECT_LE(cache_.kept_bytes(), task_cache::most_kept_bytes);
    }
}

// A program that used other sizes before is as fast as one that did not.
TEST_F(TaskCache, MakesRoomForTheSizeInUse) {
    take(8000, 1000);
    take_back_all();
    take(200, 10);
    std::vector<task*> first = taken_;
    take_back_all();
    take(200, 10);
    std::sort(first.begin(), first.end());
    std::sort(taken_.begin(), taken_.end());
    EXPECT_EQ(first, taken_);
}

TEST_F(TaskCache, GivesAllBackWhereNobodyKeepsIt) {
    task* const t = cache_.allocate(1000);
    task_cache::release(t, nullptr);
    EXPECT_EQ(cache_.kept_bytes(), 0U);
}

}  // namespace
}  // namespace lazult::omp
