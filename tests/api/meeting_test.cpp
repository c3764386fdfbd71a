// SPDX-License-Identifier: BSD-3-Clause
// Barriers, latches and semaphores.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include <lazult/barrier.hpp>
#include <lazult/error.hpp>
#include <lazult/latch.hpp>
#include <lazult/semaphore.hpp>
#include <lazult/tasklet.hpp>
#include <lazult/this_thread.hpp>
#include <lazult/thread.hpp>

#include "tests/support/code_of.hpp"

namespace {

using namespace std::chrono_literals;
using lazult::thread;

using lazult::support::code_of;

TEST(barrier, keeps_rounds_apart) {
    constexpr int count = 6;
    lazult::barrier all(count);
    EXPECT_EQ(all.expected(), count);
    std::atomic<int> arrived{0};
    std::atomic<int> lasts{0};
    std::atomic<int> wrong{0};
    std::vector<thread> threads;
    const auto body = [&] {
        for (int round = 1; round <= 50; ++round) {
            ++arrived;
            lasts += all.arrive_and_wait();
            wrong += arrived < round * count;
            all.arrive_and_wait();
        }
    };
    for (int i = 0; i < count - 1; ++i) {
        threads.emplace_back(body);
    }
    std::thread outside(body);
    lazult::join_many(threads);
    outside.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(lasts, 50);
}

TEST(barrier, refuses_nobody_and_tasklets) {
    EXPECT_EQ(code_of([] { lazult::barrier none(0); }), lazult::errc::invalid_argument);
    lazult::barrier two(2);
    lazult::errc code{};
    lazult::tasklet([&] { code = code_of([&] { two.arrive_and_wait(); }); }).join();
    EXPECT_EQ(code, lazult::errc::cannot_suspend);
}

TEST(latch, opens_at_zero) {
    lazult::latch gate(3);
    std::atomic<int> passed{0};
    std::vector<thread> threads;
    for (int i = 0; i < 5; ++i) {
        threads.emplace_back([&] {
            gate.wait();
            ++passed;
        });
    }
    gate.count_down(2);
    EXPECT_FALSE(gate.try_wait());
    EXPECT_FALSE(gate.wait_for(2ms));
    EXPECT_EQ(passed, 0);
    lazult::tasklet([&] { gate.count_down(); }).join();
    lazult::join_many(threads);
    EXPECT_EQ(passed, 5);
    EXPECT_TRUE(gate.try_wait());
    EXPECT_TRUE(gate.wait_until(std::chrono::system_clock::now() + 1h));
    lazult::latch one(1);
    one.arrive_and_wait();
    EXPECT_EQ(code_of([] { lazult::latch wrong(-1); }), lazult::errc::invalid_argument);
}

TEST(latch_death, below_zero) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(
        {
            lazult::latch one(1);
            one.count_down(2);
        },
        "latch");
}

TEST(semaphore, bounds_how_many_are_inside) {
    lazult::counting_semaphore<> tokens(3);
    std::atomic<int> inside{0};
    std::atomic<int> most{0};
    std::vector<thread> threads;
    for (int i = 0; i < 20; ++i) {
        threads.emplace_back([&] {
            tokens.acquire();
            const int now = ++inside;
            int seen = most;
            while (seen < now && !most.compare_exchange_weak(seen, now)) {
            }
            lazult::this_thread::yield();
            --inside;
            tokens.release();
        });
    }
    lazult::join_many(threads);
    EXPECT_LE(most, 3);
    EXPECT_GE(most, 1);
}

TEST(semaphore, times_out) {
    lazult::binary_semaphore one(0);
    EXPECT_FALSE(one.try_acquire());
    EXPECT_FALSE(one.try_acquire_for(2ms));
    EXPECT_FALSE(one.try_acquire_until(std::chrono::steady_clock::now()));
    one.release();
    EXPECT_TRUE(one.try_acquire_for(1h));
    lazult::errc code{};
    lazult::tasklet([&] { code = code_of([&] { one.acquire(); }); }).join();
    EXPECT_EQ(code, lazult::errc::cannot_suspend);
    EXPECT_EQ(code_of([] { lazult::binary_semaphore wrong(-1); }), lazult::errc::invalid_argument);
    static_assert(lazult::binary_semaphore::max() == 1);
}

}  // namespace
