// SPDX-License-Identifier: BSD-3-Clause
#include "waiting/waiting.hpp"

#include <gtest/gtest.h>

namespace lazult::omp {
namespace {

// However long the others' turns take.
TEST(Patience, HasSomeTurnsInACrowd) {
    patience left(4);
    for (int turn = 0; turn < 4; ++turn) {
        const std::int64_t until = os::now_ns() + 60'000;
        EXPECT_TRUE(left.lasts());
        while (os::now_ns() < until) {
        }
    }
    EXPECT_FALSE(left.lasts());
}

// Also where somebody wants to spin for ever.
TEST(Patience, EndsInACrowd) {
    const std::int64_t before = variables().spin_ns;
    variables().spin_ns = std::int64_t{1} << 60;
    patience left(4);
    const std::int64_t until = os::now_ns() + 10'000'000'000;
    while (left.lasts() && os::now_ns() < until) {
    }
    EXPECT_LT(os::now_ns(), until);
    variables().spin_ns = before;
}

TEST(Patience, LastsAsLongAsItIsSetToWhereThereIsNoCrowd) {
    const std::int64_t before = variables().spin_ns;
    variables().spin_ns = 2'000'000;
    patience left(1);
    const std::int64_t begin = os::now_ns();
    while (left.lasts()) {
    }
    EXPECT_GE(os::now_ns() - begin, 2'000'000);
    variables().spin_ns = before;
}

}  // namespace
}  // namespace lazult::omp
