// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/ds/split_loop.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <thread>
#include <vector>

namespace lazult::ds {
namespace {

using loop = split_loop<>;
using parts = split_parts<>;

std::uint32_t one(std::uint32_t) { return 1; }

struct team {
    std::vector<parts> of;
    explicit team(std::size_t size) : of(size) {}
    loop enter(std::uint64_t number, std::uint32_t chunks, std::uint32_t me) {
        return {number, chunks, static_cast<std::uint32_t>(of.size()), me};
    }
    loop::piece take(loop& entered) {
        return entered.take([this](std::uint32_t i) -> parts& { return of[i]; }, one);
    }
};

TEST(split_loop, needs_a_chunk_for_each_thread_and_one_more) {
    EXPECT_FALSE(loop::is_possible(2, 2));
    EXPECT_TRUE(loop::is_possible(3, 2));
    EXPECT_FALSE(loop::is_possible(split_range<>::largest, 2));
}

TEST(split_loop, begins_with_equal_ranges) {
    team all(2);
    loop second = all.enter(0, 8, 1);
    loop first = all.enter(0, 8, 0);
    EXPECT_EQ(all.take(first).begin, 0U);
    EXPECT_EQ(all.take(second).begin, 4U);
    EXPECT_EQ(all.take(first).begin, 1U);
}

TEST(split_loop, takes_the_last_chunk_last) {
    team all(3);
    loop alone = all.enter(7, 10, 1);
    std::vector<bool> seen(10);
    for (int i = 0; i < 9; ++i) {
        const loop::piece got = all.take(alone);
        ASSERT_EQ(got.size(), 1U);
        ASSERT_LT(got.begin, 9U);
        EXPECT_FALSE(seen[got.begin]);
        seen[got.begin] = true;
        EXPECT_FALSE(alone.has_last());
    }
    EXPECT_EQ(all.take(alone).begin, 9U);
    EXPECT_TRUE(alone.has_last());
    EXPECT_TRUE(all.take(alone).empty());
    loop late = all.enter(7, 10, 0);
    EXPECT_TRUE(all.take(late).empty());
    EXPECT_FALSE(late.has_last());
}

TEST(split_loop, has_nothing_left_where_it_was_given_up) {
    team all(2);
    for (std::uint32_t i = 0; i < 2; ++i) {
        all.enter(0, 8, i).end(all.of[i]);
    }
    loop late = all.enter(0, 8, 0);
    EXPECT_TRUE(all.take(late).empty());
}

// More loops than there are tags, of two sizes.
TEST(split_loop, runs_each_chunk_of_each_loop_once) {
    constexpr std::uint32_t threads = 2;
    constexpr std::uint64_t loops = std::uint64_t{70'000} * parts::slots;
    team all(threads);
    std::atomic<std::uint64_t> taken{0};
    std::uint64_t wanted = 0;
    for (std::uint64_t n = 0; n < loops; ++n) {
        const auto chunks = static_cast<std::uint32_t>(n % 2 == 0 ? 3 : 5);
        wanted += chunks;
        for (std::uint32_t i = 0; i < threads; ++i) {
            loop entered = all.enter(n, chunks, (static_cast<std::uint32_t>(n) + i) % threads);
            while (!all.take(entered).empty()) {
                taken.fetch_add(1, std::memory_order_relaxed);
            }
        }
    }
    EXPECT_EQ(taken.load(std::memory_order_relaxed), wanted);
}

TEST(split_loop, threads_share_loops_without_a_barrier_between_some) {
    constexpr std::uint32_t threads = 3;
    constexpr std::uint32_t chunks = 50;
    constexpr std::uint64_t loops = std::uint64_t{200} * parts::slots;
    team all(threads);
    std::vector<std::atomic<int>> hits(loops * chunks);
    std::barrier behind(threads);
    const auto work = [&](std::uint32_t me) {
        for (std::uint64_t n = 0; n < loops; ++n) {
            if (n % parts::slots == 0) {
                behind.arrive_and_wait();
            }
            loop entered = all.enter(n, chunks, me);
            for (loop::piece got = all.take(entered); !got.empty(); got = all.take(entered)) {
                hits[n * chunks + got.begin].fetch_add(1, std::memory_order_relaxed);
            }
        }
    };
    std::vector<std::thread> others;
    for (std::uint32_t i = 0; i < threads; ++i) {
        others.emplace_back(work, i);
    }
    for (std::thread& each : others) {
        each.join();
    }
    for (const std::atomic<int>& each : hits) {
        ASSERT_EQ(each.load(std::memory_order_relaxed), 1);
    }
}

}  // namespace
}  // namespace lazult::ds
