// SPDX-License-Identifier: BSD-3-Clause
#undef LAZULT_ASSERTIONS
#define LAZULT_ASSERTIONS 1
#include "lazult/base/misuse.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <string>

namespace {

using namespace lazult;

TEST(misuse, says_the_object_the_cause_and_the_cure) {
    EXPECT_EQ(base::describe_misuse("thread 0x7f", "it was joined already", "join a thread once"),
              "lazult: thread 0x7f: it was joined already; join a thread once");
}

TEST(misuse, no_cure_leaves_no_separator) {
    EXPECT_EQ(base::describe_misuse("mutex", "it is locked", ""), "lazult: mutex: it is locked");
}

TEST(misuse_death, prints_the_line_and_aborts) {
    EXPECT_EXIT(base::fatal_misuse("mutex 0x1", "it is locked by another ULT", "unlock it there"),
                testing::KilledBySignal(SIGABRT),
                "^lazult: mutex 0x1: it is locked by another ULT; unlock it there\n");
}

TEST(misuse_death, prints_texts_of_any_length) {
    const std::string cause(5000, 'x');
    EXPECT_EXIT(base::fatal_misuse("pool", cause, "end"), testing::KilledBySignal(SIGABRT),
                "x; end\n");
}

TEST(misuse, a_warning_is_one_line_and_keeps_errno) {
    testing::internal::CaptureStderr();
    errno = 42;
    base::warn("the settings are odd");
    EXPECT_EQ(errno, 42);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "lazult: warning: the settings are odd\n");
}

TEST(misuse_death, an_assertion_says_what_and_where) {
    const int three = 3;
    LAZULT_ASSERT(three == 3);
    EXPECT_EXIT(LAZULT_ASSERT(three == 4), testing::KilledBySignal(SIGABRT),
                "misuse_test.cpp:[0-9]+: assertion failed: three == 4\n");
}

}  // namespace
