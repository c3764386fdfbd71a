// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/os/os.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace {

using namespace lazult;

constexpr std::int64_t millisecond = 1'000'000;

TEST(futex, another_value_returns_at_once) {
    std::atomic<std::uint32_t> word{1};
    EXPECT_TRUE(os::futex_wait(word, 0, -1));
}

TEST(futex, times_out_at_its_deadline) {
    std::atomic<std::uint32_t> word{0};
    const std::int64_t start = os::now_ns();
    // A signal may end a wait early with true; then the rest is waited for.
    while (os::futex_wait(word, 0, start + 30 * millisecond)) {
    }
    EXPECT_GE(os::now_ns() - start, 30 * millisecond);
    EXPECT_LT(os::now_ns() - start, 5'000 * millisecond);
}

TEST(futex, a_deadline_in_the_past_times_out_at_once) {
    std::atomic<std::uint32_t> word{0};
    EXPECT_FALSE(os::futex_wait(word, 0, os::now_ns() - 1));
    EXPECT_FALSE(os::futex_wait(word, 0, 0));
}

TEST(futex, wake_without_sleepers_wakes_none) {
    std::atomic<std::uint32_t> word{0};
    EXPECT_EQ(os::futex_wake(word, 100), 0);
}

TEST(futex, wakes_as_many_as_asked) {
    std::atomic<std::uint32_t> word{0};
    std::atomic<int> through{0};
    std::vector<std::thread> sleepers;
    for (int i = 0; i < 3; ++i) {
        sleepers.emplace_back([&] {
            os::futex_wait(word, 0, -1);
            through.fetch_add(1, std::memory_order_relaxed);
        });
    }
    int woken = 0;
    while (woken < 3) {
        const int now = os::futex_wake(word, 1);
        EXPECT_LE(now, 1);
        woken += now;
        std::this_thread::yield();
    }
    for (std::thread& sleeper : sleepers) sleeper.join();
    EXPECT_EQ(through.load(std::memory_order_relaxed), 3);
}

TEST(futex, hands_a_turn_back_and_forth) {
    std::atomic<std::uint32_t> turn{0};
    constexpr std::uint32_t rounds = 2'000;
    const auto play = [&](std::uint32_t parity) {
        for (std::uint32_t i = parity; i < rounds; i += 2) {
            for (std::uint32_t now; (now = turn.load(std::memory_order_acquire)) != i;) {
                os::futex_wait(turn, now, -1);
            }
            turn.store(i + 1, std::memory_order_release);
            os::futex_wake(turn, 1);
        }
    };
    std::thread odd(play, 1);
    play(0);
    odd.join();
    EXPECT_EQ(turn.load(std::memory_order_relaxed), rounds);
}

}  // namespace
