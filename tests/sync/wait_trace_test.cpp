// SPDX-License-Identifier: BSD-3-Clause
// The words of waits that have numbers in them.
#include "lazult/sync/wait_trace.hpp"

#include <gtest/gtest.h>

namespace lazult::testing {
namespace {

TEST(wait_words, of_durations_have_three_digits) {
    EXPECT_EQ(sync::words_of_duration(0), "0 ns");
    EXPECT_EQ(sync::words_of_duration(999), "999 ns");
    EXPECT_EQ(sync::words_of_duration(1'000), "1 us");
    EXPECT_EQ(sync::words_of_duration(12'345), "12.3 us");
    EXPECT_EQ(sync::words_of_duration(999'400), "999 us");
    EXPECT_EQ(sync::words_of_duration(999'600), "1 ms");
    EXPECT_EQ(sync::words_of_duration(249'999'123), "250 ms");
    EXPECT_EQ(sync::words_of_duration(1'999'900'000), "2 s");
    EXPECT_EQ(sync::words_of_duration(86'400'000'000'000), "86400 s");
}

}  // namespace
}  // namespace lazult::testing
