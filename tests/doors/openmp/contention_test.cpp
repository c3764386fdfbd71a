// SPDX-License-Identifier: BSD-3-Clause
// When a thread believes that another program wants its processor.
#include "waiting/contention.hpp"

#include <gtest/gtest.h>

using lazult::omp::contention;

namespace {

constexpr std::int64_t start = 1'000'000'000;

TEST(Contention, IsNotKnownAtFirst) {
    const contention fresh;
    EXPECT_FALSE(fresh.is_known(start));
}

TEST(Contention, AShortYieldSaysNothing) {
    contention seen;
    seen.note_yield(start, start + contention::too_long);
    EXPECT_FALSE(seen.is_known(start + contention::too_long));
}

TEST(Contention, ALongYieldIsRememberedForAWhile) {
    contention seen;
    const std::int64_t end = start + contention::too_long + 1;
    seen.note_yield(start, end);
    EXPECT_TRUE(seen.is_known(end));
    EXPECT_TRUE(seen.is_known(end + contention::remembered - 1));
    EXPECT_FALSE(seen.is_known(end + contention::remembered));
}

TEST(Contention, AShortYieldDoesNotMakeItForgotten) {
    contention seen;
    const std::int64_t end = start + contention::too_long + 1;
    seen.note_yield(start, end);
    seen.note_yield(end, end + 1);
    EXPECT_TRUE(seen.is_known(end + 1));
}

}  // namespace
