// SPDX-License-Identifier: BSD-3-Clause
// Denormals flushed to zero, as libraries that were built with -ffast-math do it by intrinsics, is
// a matter of the thread that asks for it.
#include <gtest/gtest.h>

#include <limits>

#include <lazult/lazult.hpp>

#include "lazult/arch/arch.hpp"
#include "tests/api/techniques.hpp"

namespace {

using lazult::technique;
using lazult::api_test::all_techniques;

#if defined(__aarch64__)
constexpr std::uint32_t flush_to_zero = 0x01000000;
#else
constexpr std::uint32_t flush_to_zero = 0x8000;  // no more of MXCSR: the x87 word stays
#endif

void flush_denormals() {
    lazult::arch::set_control_words(lazult::arch::control_words() | flush_to_zero);
}

bool has_denormals() {
    volatile double smallest = std::numeric_limits<double>::min();
    volatile double half = smallest / 2;
    return half > 0;
}

class flushed_denormals : public testing::TestWithParam<technique> {
protected:
    void SetUp() override {
#if !defined(__x86_64__) && !defined(__aarch64__)
        GTEST_SKIP() << "this processor's control words are not known here";
#endif
    }

    template <class Body>
    lazult::thread start(Body body) const {
        return lazult::thread(lazult::thread_attributes{.how = GetParam()}, body);
    }

    lazult::runtime running_{lazult::options{.streams = 1}};
};

// It is joined in place: called on the joiner's stack, or one of its own.
TEST_P(flushed_denormals, do_not_come_back_to_the_joiner) {
    for (int i = 0; i < 10; ++i) {
        start(flush_denormals).join();
        EXPECT_TRUE(has_denormals());
    }
}

TEST_P(flushed_denormals, are_not_left_to_the_next_thread) {
    bool next_has = false;
    lazult::thread first = start(flush_denormals);
    lazult::thread next = start([&] { next_has = has_denormals(); });
    next.join();
    first.join();
    EXPECT_TRUE(next_has);
    EXPECT_TRUE(has_denormals());
}

TEST_P(flushed_denormals, stay_with_the_joiner_and_are_not_the_childs) {
    bool child_has = false;
    lazult::thread([&] {
        flush_denormals();
        for (int i = 0; i < 10; ++i) {
            start([&] { child_has = has_denormals(); }).join();
            EXPECT_TRUE(child_has);
            EXPECT_FALSE(has_denormals());
        }
    }).join();
    EXPECT_TRUE(has_denormals());
}

INSTANTIATE_TEST_SUITE_P(techniques, flushed_denormals, testing::ValuesIn(all_techniques));

}  // namespace
