// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/os/os.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace {

using namespace lazult;

TEST(clock, never_runs_backwards) {
    std::int64_t last = os::now_ns();
    for (int i = 0; i < 10'000; ++i) {
        const std::int64_t now = os::now_ns();
        ASSERT_GE(now, last);
        last = now;
    }
}

TEST(clock, counts_nanoseconds_of_the_monotonic_clock) {
    const auto standard = [] {
        return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch())
            .count();
    };
    const std::int64_t before = standard();
    const std::int64_t ours = os::now_ns();
    const std::int64_t after = standard();
    EXPECT_LE(before, ours);
    EXPECT_LE(ours, after);
}

}  // namespace
