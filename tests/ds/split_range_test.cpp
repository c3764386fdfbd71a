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

TEST(split_range, gives_the_owner_the_first) {
    range r;
    r.set(1, {3, 8});
    const range::piece first = r.take(1, nothing, up_to(2));
    EXPECT_EQ(first.begin, 3U);
    EXPECT_EQ(first.end, 5U);
    const range::piece rest = r.take(1, nothing, up_to(10));
    EXPECT_EQ(rest.begin, 5U);
    EXPECT_EQ(rest.end, 8U);
    EXPECT_TRUE(r.take(1, nothing, up_to(1)).empty());
}

TEST(split_range, gives_thieves_the_later_half) {
    range r;
    const range::piece stolen = r.steal(1, {0, 10});
    EXPECT_EQ(stolen.begin, 5U);
    EXPECT_EQ(stolen.end, 10U);
    EXPECT_EQ(r.take(1, {0, 10}, up_to(10)).end, 5U);
}

TEST(split_range, gives_thieves_a_single_one) {
    range r;
    EXPECT_EQ(r.steal(1, {7, 8}).begin, 7U);
    EXPECT_TRUE(r.steal(1, {7, 8}).empty());
    EXPECT_TRUE(r.take(1, {7, 8}, up_to(1)).empty());
}

TEST(split_range, begins_anew_with_another_tag) {
    range r;
    EXPECT_EQ(r.take(1, {0, 2}, up_to(2)).size(), 2U);
    EXPECT_EQ(r.take(2, {4, 6}, up_to(2)).begin, 4U);
    r.forget();
    EXPECT_EQ(r.take(2, {4, 6}, up_to(2)).begin, 4U);
}

TEST(split_range, holds_as_many_as_it_says) {
    range r;
    constexpr range::piece last{range::largest - 2, range::largest};
    EXPECT_EQ(r.take(65535, last, up_to(1)).begin, range::largest - 2);
    EXPECT_EQ(r.steal(65535, last).end, range::largest);
    EXPECT_TRUE(r.take(65535, last, up_to(1)).empty());
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
    const auto work = [&](std::size_t me) {
        while (done.load(std::memory_order_relaxed) < count) {
            const std::size_t victim = (me + 1) % threads;
            if (const range::piece own = ranges[me].take(9, initial(me), up_to(3)); !own.empty()) {
                run(own);
                done.fetch_add(own.size(), std::memory_order_relaxed);
            } else if (const range::piece got = ranges[victim].steal(9, initial(victim)); !got.empty()) {
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
