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
    split_ends<> of_all;
    bool all_come = true;
    bool is_alone = false;
    bool is_shared = false;
    explicit team(std::size_t size) : of(size) {}
    loop enter(std::uint64_t number, std::uint32_t chunks, std::uint32_t me) {
        return {number, chunks, static_cast<std::uint32_t>(of.size()), me, is_shared};
    }
    struct around {
        static constexpr split_patience patience{1, 2, 3};
        team& all;
        parts& parts_of(std::uint32_t i) const { return all.of[i]; }
        split_ends<>& ends() const { return all.of_all; }
        bool all_come() const { return all.all_come; }
        bool is_alone() const { return all.is_alone; }
        static void pause() { default_atomics::pause(); }
        static void wait() { std::this_thread::yield(); }
    };
    loop::piece take(loop& entered, std::uint32_t me) {
        around others{*this};
        return entered.take(of[me], others, one);
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
    EXPECT_EQ(all.take(first, 0).begin, 0U);
    EXPECT_EQ(all.take(second, 1).begin, 4U);
    EXPECT_EQ(all.take(first, 0).begin, 1U);
}

TEST(split_loop, takes_the_last_chunk_last) {
    team all(3);
    loop alone = all.enter(7, 10, 1);
    std::vector<bool> seen(10);
    for (int i = 0; i < 9; ++i) {
        const loop::piece got = all.take(alone, 1);
        ASSERT_EQ(got.size(), 1U);
        ASSERT_LT(got.begin, 9U);
        EXPECT_FALSE(seen[got.begin]);
        seen[got.begin] = true;
        EXPECT_FALSE(alone.has_last());
    }
    EXPECT_EQ(all.take(alone, 1).begin, 9U);
    EXPECT_TRUE(alone.has_last());
    EXPECT_TRUE(all.take(alone, 1).empty());
    loop late = all.enter(7, 10, 0);
    EXPECT_TRUE(all.take(late, 0).empty());
    EXPECT_FALSE(late.has_last());
}

TEST(split_loop, has_nothing_left_where_it_was_given_up) {
    team all(2);
    for (std::uint32_t i = 0; i < 2; ++i) {
        all.enter(0, 8, i).end(all.of[i], all.of_all);
    }
    loop late = all.enter(0, 8, 0);
    EXPECT_TRUE(all.take(late, 0).empty());
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
            const std::uint32_t me = (static_cast<std::uint32_t>(n) + i) % threads;
            loop entered = all.enter(n, chunks, me);
            while (!all.take(entered, me).empty()) {
                taken.fetch_add(1, std::memory_order_relaxed);
            }
        }
    }
    EXPECT_EQ(taken.load(std::memory_order_relaxed), wanted);
}

// Where nobody asks for a range, no loop leaves its tag in the word by which one does. It grows
// old, and its tag comes back.
TEST(split_loop, finds_words_of_long_ago_as_new) {
    constexpr std::uint32_t chunks = 5;
    team all(2);
    const auto run = [&](std::uint64_t n, bool by_turns) {
        loop first = all.enter(n, chunks, 0);
        loop second = all.enter(n, chunks, 1);
        std::uint32_t taken = 0;
        while (!all.take(first, 0).empty()) {
            taken += 1 + (by_turns && !all.take(second, 1).empty() ? 1 : 0);
        }
        return taken;
    };
    constexpr std::uint64_t tags = split_range<>::tags;
    for (std::uint64_t n = 0; n <= tags * parts::slots; ++n) {
        ASSERT_EQ(run(n, n % (tags * parts::slots) != 0), chunks) << n;
    }
}

TEST(split_loop, robs_nobody_where_all_others_have_left) {
    team all(2);
    all.is_alone = true;
    loop mine = all.enter(0, 5, 0);
    EXPECT_EQ(all.take(mine, 0).begin, 0U);
    EXPECT_EQ(all.take(mine, 0).begin, 1U);
    EXPECT_EQ(all.take(mine, 0).begin, 4U);
    EXPECT_TRUE(mine.has_last());
}

TEST(split_loop, runs_what_was_left_by_a_thread_that_does_not_come) {
    team all(2);
    all.is_alone = true;
    all.all_come = false;
    loop mine = all.enter(0, 5, 0);
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(all.take(mine, 0).size(), 1U);
    }
    EXPECT_TRUE(all.take(mine, 0).empty());
}

void share_loops(bool from_the_beginning) {
    constexpr std::uint32_t threads = 3;
    constexpr std::uint32_t chunks = 50;
    constexpr std::uint64_t loops = std::uint64_t{200} * parts::slots;
    team all(threads);
    all.is_shared = from_the_beginning;
    std::vector<std::atomic<int>> hits(loops * chunks);
    std::barrier behind(threads);
    const auto work = [&](std::uint32_t me) {
        for (std::uint64_t n = 0; n < loops; ++n) {
            if (n % parts::slots == 0) {
                behind.arrive_and_wait();
            }
            loop entered = all.enter(n, chunks, me);
            for (loop::piece got = all.take(entered, me); !got.empty();
                 got = all.take(entered, me)) {
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

TEST(split_loop, threads_share_loops_without_a_barrier_between_some) { share_loops(false); }

TEST(split_loop, ranges_may_be_nobodys_own) { share_loops(true); }

}  // namespace
}  // namespace lazult::ds
