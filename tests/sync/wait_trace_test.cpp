// SPDX-License-Identifier: BSD-3-Clause
// The words of waits that have numbers in them.
#include "lazult/sync/wait_trace.hpp"

#include <gtest/gtest.h>

#include "lazult/sync/wait_note.hpp"

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

TEST(wait_words, of_notes_have_their_numbers) {
    const sync::wait_words both{"MPI_Recv", " from rank %, tag %"};
    EXPECT_EQ(sync::words_of_note(both, 3, 7), "MPI_Recv from rank 3, tag 7");
    EXPECT_EQ(sync::words_of_note(both, -1, 0), "MPI_Recv from rank any, tag 0");
    EXPECT_EQ(sync::words_of_note({"MPI_Win_wait", ""}, 1, 2), "MPI_Win_wait");
}

}  // namespace
}  // namespace lazult::testing
