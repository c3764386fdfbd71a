// SPDX-License-Identifier: BSD-3-Clause
#include "waiting/patience.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <thread>

#include "environment/environment.hpp"
#include "waiting/contention.hpp"

namespace lazult::omp {
namespace {

// Whether it lasted for so many turns and no longer; nothing where another program had the
// processor meanwhile: then it ends at once.
std::optional<bool> lasts_for(int turns) {
    std::int64_t longest = 0;
    patience left(4);
    const auto asks = [&] {
        const std::int64_t before = os::now_ns();
        const bool lasts = left.lasts();
        longest = std::max(longest, os::now_ns() - before);
        return lasts;
    };
    bool as_expected = true;
    for (int turn = 0; turn < turns; ++turn) {
        const std::int64_t until = os::now_ns() + 60'000;
        as_expected = asks() && as_expected;
        while (os::now_ns() < until) {
        }
    }
    as_expected = !asks() && as_expected;
    return longest > contention::too_long ? std::nullopt : std::optional(as_expected);
}

TEST(Patience, HasSomeTurnsInACrowd) {
    std::optional<bool> is_right;
    for (int attempt = 0; !is_right.has_value() && attempt < 50; ++attempt) {
        // what a thread remembers of others is its own
        std::thread([&] { is_right = lasts_for(4); }).join();
    }
    if (!is_right.has_value()) {
        GTEST_SKIP() << "another program has the processor all the time";
    }
    EXPECT_TRUE(*is_right);
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
