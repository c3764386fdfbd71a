// SPDX-License-Identifier: BSD-3-Clause
// core::stack_wait: a stream gives up after ten seconds in which it found no stack, and not before.
#include "lazult/core/memory/stack_wait.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace lazult::core {
namespace {

constexpr std::uint32_t nearly = stack_wait::longest_ms - 1;

// Naps until `to`, at even distances, as long as it lasts.
bool naps_until(stack_wait& waiting, std::uint32_t from, std::uint32_t to, std::uint64_t started,
                unsigned naps = 2 * stack_wait::least_naps) {
    for (unsigned i = 0; i <= naps; ++i) {
        const auto passed = std::uint64_t{to - from} * i / naps;
        if (!waiting.lasts(from + static_cast<std::uint32_t>(passed), started)) {
            return false;
        }
    }
    return true;
}

TEST(stack_wait_test, lasts_ten_seconds) {
    stack_wait waiting;
    EXPECT_TRUE(naps_until(waiting, 7, 7 + nearly, 1));
    EXPECT_FALSE(waiting.lasts(7 + stack_wait::longest_ms, 1));
}

TEST(stack_wait_test, begins_anew_when_a_stack_was_found) {
    stack_wait waiting;
    EXPECT_TRUE(naps_until(waiting, 0, nearly, 1));
    waiting.end();
    EXPECT_TRUE(naps_until(waiting, nearly, 2 * nearly, 1));
    EXPECT_FALSE(waiting.lasts(nearly + stack_wait::longest_ms, 1));
}

// Most stacks come from the caller's own cache, which tells nobody: what it has started does.
TEST(stack_wait_test, begins_anew_while_units_start) {
    stack_wait waiting;
    for (std::uint64_t started = 0; started != 8; ++started) {
        const auto from = static_cast<std::uint32_t>(started) * nearly;
        EXPECT_TRUE(naps_until(waiting, from, from + nearly, started));
    }
}

TEST(stack_wait_test, does_not_count_a_time_in_which_it_was_stopped) {
    stack_wait waiting;
    EXPECT_TRUE(waiting.lasts(0, 1));
    EXPECT_TRUE(waiting.lasts(3'600'000, 1));
    EXPECT_FALSE(naps_until(waiting, 3'600'000, 3'600'001, 1));
}

TEST(stack_wait_test, does_not_mind_a_clock_that_wraps_around) {
    stack_wait waiting;
    const std::uint32_t late = ~std::uint32_t{0} - 5'000;
    EXPECT_TRUE(naps_until(waiting, late, late + nearly, 1));
    EXPECT_FALSE(waiting.lasts(late + stack_wait::longest_ms, 1));
}

// --- nothing moves

// By looks of which each sees as many steps.
bool stands_still_from(stack_wait& waiting, std::uint32_t from, std::uint64_t steps,
                       bool others = false) {
    bool still = false;
    for (std::uint32_t ms = 0; ms <= stack_wait::longest_standstill_ms; ms += 10) {
        still = waiting.stands_still(from + ms, steps, others);
    }
    return still;
}

TEST(stack_wait_test, knows_a_standstill_in_a_moment) {
    stack_wait waiting;
    EXPECT_FALSE(waiting.stands_still(7, 1, false));
    EXPECT_FALSE(waiting.stands_still(7 + stack_wait::longest_standstill_ms - 1, 1, false));
    EXPECT_TRUE(stands_still_from(waiting, 7, 1));
}

TEST(stack_wait_test, takes_neither_steps_nor_running_streams_for_a_standstill) {
    stack_wait waiting;
    EXPECT_FALSE(stands_still_from(waiting, 0, 1, true));
    for (std::uint64_t steps = 1; steps != 50; ++steps) {
        EXPECT_FALSE(waiting.stands_still(static_cast<std::uint32_t>(steps) * 50, steps, false));
    }
    EXPECT_TRUE(stands_still_from(waiting, 5'000, 50));
}

TEST(stack_wait_test, does_not_take_a_stopped_process_for_a_standstill) {
    stack_wait waiting;
    EXPECT_FALSE(waiting.stands_still(0, 1, false));
    EXPECT_FALSE(waiting.stands_still(60'000, 1, false));
}

TEST(stack_wait_test, looks_now_and_then) {
    stack_wait waiting;
    EXPECT_TRUE(waiting.is_look_due(1'000));
    EXPECT_FALSE(waiting.is_look_due(1'001));
    EXPECT_TRUE(waiting.is_look_due(1'000 + stack_wait::least_between_looks_ms));
}

TEST(stack_wait_test, naps_when_all_units_have_been_tried) {
    stack_wait waiting;
    const int units[3] = {};
    for (int round = 0; round != 3; ++round) {
        EXPECT_EQ(waiting.has_tried_all(&units[0], 1), round != 0);
        EXPECT_FALSE(waiting.has_tried_all(&units[1], 1));
        EXPECT_FALSE(waiting.has_tried_all(&units[2], 1));
    }
    EXPECT_FALSE(waiting.has_tried_all(&units[0], 2)) << "something ran";
    EXPECT_TRUE(waiting.has_tried_all(&units[0], 2));
}

// Somebody else has started the first one meanwhile.
TEST(stack_wait_test, naps_though_the_first_unit_does_not_come_back) {
    stack_wait waiting;
    const int first = 0;
    const int others = 0;
    EXPECT_FALSE(waiting.has_tried_all(&first, 1));
    bool napped = false;
    for (std::uint32_t i = 0; i != stack_wait::most_tries; ++i) {
        napped = napped || waiting.has_tried_all(&others, 1);
    }
    EXPECT_TRUE(napped);
}

}  // namespace
}  // namespace lazult::core
