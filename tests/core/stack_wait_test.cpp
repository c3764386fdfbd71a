// SPDX-License-Identifier: BSD-3-Clause
// core::stack_wait: a stream gives up after ten seconds in which it found no stack, and not before.
#include "lazult/core/stack_wait.hpp"

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

}  // namespace
}  // namespace lazult::core
