// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/ds/split_range.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace lazult::ds {
namespace {

using range = split_range<>;

constexpr range::piece nothing{0, 0};

// So many, or all.
auto up_to(std::uint32_t most) {
    return [most](std::uint32_t left) { return most < left ? most : left; };
}

// An owner with its memory of what is left.
struct owner {
    range& its;
    std::uint16_t tag;
    range::piece left;
    range::piece take(std::uint32_t most) {
        const range::piece got =
            its.take(tag, left, up_to(most), [] { std::this_thread::yield(); });
        return !got.empty() ? got : its.take_shared(tag, up_to(most));
    }
};

TEST(split_range, gives_the_owner_the_first) {
    range r;
    owner mine{r, 1, {3, 8}};
    const range::piece first = mine.take(2);
    EXPECT_EQ(first.begin, 3U);
    EXPECT_EQ(first.end, 5U);
    const range::piece rest = mine.take(10);
    EXPECT_EQ(rest.begin, 5U);
    EXPECT_EQ(rest.end, 8U);
    EXPECT_TRUE(mine.take(1).empty());
}

TEST(split_range, is_shared_by_an_owner_that_was_asked) {
    range r;
    owner mine{r, 1, {0, 10}};
    EXPECT_EQ(r.look(1, {0, 10}).now, range::state::owned);
    r.ask(1);
    EXPECT_EQ(r.look(1, {0, 10}).now, range::state::asked);
    EXPECT_TRUE(r.steal(1).empty());
    EXPECT_EQ(mine.take(2).size(), 2U);
    EXPECT_EQ(r.look(1, {0, 10}).now, range::state::shared);
    const range::piece stolen = r.steal(1);
    EXPECT_EQ(stolen.begin, 6U);
    EXPECT_EQ(stolen.end, 10U);
    EXPECT_EQ(mine.take(10).size(), 4U);
    EXPECT_TRUE(mine.take(1).empty());
}

TEST(split_range, is_seized_where_the_owner_does_not_answer) {
    range r;
    owner mine{r, 1, {0, 10}};
    EXPECT_EQ(mine.take(2).size(), 2U);
    r.ask(1);
    const range::piece stolen = r.seize(1, {0, 10});
    EXPECT_EQ(stolen.begin, 6U);
    EXPECT_EQ(stolen.end, 10U);
    EXPECT_EQ(mine.take(10).begin, 2U);
    EXPECT_TRUE(r.steal(1).empty());
}

TEST(split_range, gives_thieves_a_single_one) {
    range r;
    owner mine{r, 1, {7, 8}};
    r.ask(1);
    EXPECT_EQ(r.seize(1, {7, 8}).begin, 7U);
    EXPECT_TRUE(r.look(1, {7, 8}).left.empty());
    EXPECT_TRUE(mine.take(1).empty());
}

TEST(split_range, begins_anew_with_another_tag) {
    range r;
    EXPECT_EQ((owner{r, 1, {0, 2}}.take(2).size()), 2U);
    EXPECT_EQ(r.look(2, {4, 6}).left.begin, 4U);
    EXPECT_EQ((owner{r, 2, {4, 6}}.take(1).begin), 4U);
    EXPECT_EQ(r.look(2, {4, 6}).left.begin, 5U);
    r.forget();
    EXPECT_EQ(r.look(2, {4, 6}).left.begin, 4U);
}

TEST(split_range, has_nothing_left_after_its_end) {
    range r;
    r.end(1);
    EXPECT_TRUE(r.look(1, {0, 4}).left.empty());
    EXPECT_EQ(r.look(2, {0, 4}).left.size(), 4U);
}

TEST(split_range, holds_as_many_as_it_says) {
    range r;
    constexpr range::piece last{range::largest - 2, range::largest};
    owner mine{r, 65535, last};
    EXPECT_EQ(mine.take(1).begin, range::largest - 2);
    r.ask(65535);
    EXPECT_EQ(r.seize(65535, last).end, range::largest);
    EXPECT_TRUE(mine.take(1).empty());
}

TEST(split_range, each_number_is_taken_once) {
    constexpr std::uint32_t count = 200'000;
    constexpr std::size_t threads = 3;
    std::vector<range> ranges(threads);
    std::vector<std::atomic<int>> hits(count);
    const auto run = [&](range::piece p) {
        for (std::uint32_t i = p.begin; i < p.end; ++i) {
            hits[i].fetch_add(1, std::memory_order_relaxed);
        }
    };
    std::atomic<std::uint32_t> done{0};
    const auto initial = [&](std::size_t of) { return of == 0 ? range::piece{0, count} : nothing; };
    const auto rob = [&](std::size_t victim) {
        if (ranges[victim].look(9, initial(victim)).left.empty()) {
            return nothing;
        }
        ranges[victim].ask(9);
        const range::piece got = ranges[victim].steal(9);
        return !got.empty() ? got : ranges[victim].seize(9, initial(victim));
    };
    const auto work = [&](std::size_t me) {
        owner mine{ranges[me], 9, initial(me)};
        while (done.load(std::memory_order_relaxed) < count) {
            const std::size_t victim = (me + 1) % threads;
            if (const range::piece own = mine.take(3); !own.empty()) {
                run(own);
                done.fetch_add(own.size(), std::memory_order_relaxed);
            } else if (const range::piece got = rob(victim); !got.empty()) {
                ranges[me].set(9, got);
            } else {
                std::this_thread::yield();
            }
        }
    };
    std::vector<std::thread> all;
    for (std::size_t i = 0; i < threads; ++i) {
        all.emplace_back(work, i);
    }
    for (std::thread& each : all) {
        each.join();
    }
    for (const std::atomic<int>& each : hits) {
        ASSERT_EQ(each.load(std::memory_order_relaxed), 1);
    }
}

}  // namespace
}  // namespace lazult::ds
