// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/api/task_list.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "lazult/base/random.hpp"

namespace lazult::api {
namespace {

// Units of which some have ended, and those that the list has not given back.
class ended_units {
public:
    explicit ended_units(std::size_t count) : all_(count) {}

    core::work_unit* at(std::size_t i) { return &all_[i]; }
    void end(std::size_t i) { all_[i].join.finish_in_place(); }

private:
    std::vector<core::work_unit> all_;
};

std::size_t count_linked(const core::work_unit* first) {
    std::size_t count = 0;
    for (; first != nullptr; first = first->next) {
        EXPECT_TRUE(first->join.is_finished());
        ++count;
    }
    return count;
}

TEST(task_list, gives_all_back_last_in_first_out) {
    for (const std::size_t count : {1U, 4U, 5U, 64U, 65U, 200U}) {
        ended_units units(count);
        task_list list;
        for (std::size_t i = 0; i < count; ++i) {
            ASSERT_TRUE(list.make_room([](core::work_unit* first) { EXPECT_EQ(first, nullptr); }));
            list.push_into_room(units.at(i));
        }
        EXPECT_EQ(list.size(), count);
        for (std::size_t i = count; i-- != 0;) {
            EXPECT_EQ(list.pop(), units.at(i));
        }
        EXPECT_EQ(list.pop(), nullptr);
        EXPECT_TRUE(list.empty());
    }
}

// Some wait for long, wherever they stand. The list stays short all the same, and loses nobody.
TEST(task_list, stays_short_while_tasks_end_in_any_order) {
    constexpr std::size_t steps = 200'000;
    constexpr std::size_t waiting_units = 128;
    constexpr std::size_t most_listed = 512;
    base::xorshift64 random(1);
    ended_units units(steps);
    task_list list;
    std::vector<std::size_t> waiting;
    std::size_t freed = 0;
    std::size_t longest = 0;
    for (std::size_t i = 0; i < steps; ++i) {
        if (waiting.size() == waiting_units) {
            std::size_t& one = waiting[random.below(waiting_units)];
            units.end(std::exchange(one, i));
        } else {
            waiting.push_back(i);
        }
        ASSERT_TRUE(list.make_room([&](core::work_unit* first) { freed += count_linked(first); }));
        list.push_into_room(units.at(i));
        longest = std::max(longest, list.size());
    }
    EXPECT_LE(longest, most_listed);
    EXPECT_EQ(list.size() + freed, steps);
    std::set<const core::work_unit*> left;
    while (const core::work_unit* u = list.pop()) {
        left.insert(u);
    }
    EXPECT_EQ(left.size() + freed, steps);
    for (const std::size_t i : waiting) {
        EXPECT_TRUE(left.contains(units.at(i)));
    }
}

TEST(task_list, is_shortened_at_once_but_not_again_at_the_same_length) {
    constexpr std::size_t count = 1000;
    constexpr std::size_t longest = 100;
    constexpr std::size_t beside_the_chunks = 4;
    ended_units units(count);
    std::size_t freed = 0;
    const auto count_freed = [&](core::work_unit* first) { freed += count_linked(first); };
    const auto fill = [&](task_list& list) {
        for (std::size_t i = 0; i < count; ++i) {
            ASSERT_TRUE(list.make_room(count_freed));
            list.push_into_room(units.at(i));
        }
    };
    task_list looked_at_too_early;
    fill(looked_at_too_early);
    looked_at_too_early.shorten(longest, count_freed);
    task_list long_one;
    fill(long_one);
    for (std::size_t i = 0; i < count; ++i) {
        units.end(i);
    }
    looked_at_too_early.shorten(longest, count_freed);
    EXPECT_EQ(freed, 0U);
    long_one.shorten(count, count_freed);
    EXPECT_EQ(freed, 0U);
    long_one.shorten(longest, count_freed);
    EXPECT_EQ(freed, count - beside_the_chunks);
    EXPECT_EQ(long_one.size(), beside_the_chunks);
}

}  // namespace
}  // namespace lazult::api
