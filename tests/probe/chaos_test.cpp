// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/probe/probe.hpp"

#include "lazult/os/os.hpp"

#include <gtest/gtest.h>

#include <array>
#include <thread>
#include <vector>

namespace {

using namespace lazult;
using probe::disturbance;

TEST(chaos, disturbs_one_point_in_64_in_both_ways) {
    base::xorshift64 random(1);
    std::array<int, 3> drawn{};
    for (int i = 0; i < 64'000; ++i)
        ++drawn[static_cast<std::size_t>(probe::draw_disturbance(random))];
    const int yields = drawn[static_cast<std::size_t>(disturbance::yield)];
    const int spins = drawn[static_cast<std::size_t>(disturbance::spin)];
    EXPECT_GT(yields, 400);
    EXPECT_GT(spins, 400);
    EXPECT_NEAR(yields + spins, 1'000, 150);
}

TEST(chaos, the_same_seed_disturbs_the_same_points) {
    base::xorshift64 a(9);
    base::xorshift64 b(9);
    for (int i = 0; i < 1'000; ++i)
        EXPECT_EQ(probe::draw_disturbance(a), probe::draw_disturbance(b));
}

TEST(chaos, disturbances_come_in_every_thread_and_take_time) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
        threads.emplace_back([] {
            for (int point = 0; point < 20'000; ++point) probe::disturb();
        });
    }
    for (std::thread& thread : threads) thread.join();
    const std::int64_t start = os::now_ns();
    for (int point = 0; point < 100'000; ++point) probe::disturb();
    // About 800 spins of 1 us on average; each spin is long enough to be seen.
    EXPECT_GT(os::now_ns() - start, 200'000);
}

TEST(chaos, the_marker_follows_the_build) {
    probe::chaos_point();
    EXPECT_EQ(probe::chaos, LAZULT_CHAOS == 1);
}

}  // namespace
