// SPDX-License-Identifier: BSD-3-Clause
// Two threads and their stacks, for the tests of switches: the test's own and another one.
#pragma once

#include "lazult/arch/context.hpp"

#include <gtest/gtest.h>

#include <cfenv>

#include "context_fixture.hpp"

namespace lazult::arch_test {

using arch::context;
using arch::departure;
using arch::entry_record;

// --- a second thread that plays ping-pong with the test's own

struct table {
    context test = nullptr;   // the test's thread, while the other one runs
    context other = nullptr;  // the other way round
    int left_calls = 0;
    const void* left_at = nullptr;
    bool left_aligned = false;
    void* left_argument = nullptr;
};
inline table now;

inline void note_left(void* argument) {
    ++now.left_calls;
    now.left_at = here();
    now.left_aligned = stack_is_aligned();
    now.left_argument = argument;
}

inline void to_other() { arch::lazult_switch(&now.test, now.other, nullptr, nullptr); }
inline void to_test() { arch::lazult_switch(&now.other, now.test, nullptr, nullptr); }

// In both ways in which switches may load the control words, whatever this processor prefers.
class context_test : public testing::TestWithParam<bool> {
protected:
    void SetUp() override {
        now = {};
        compared_by_default_ = compare_words(GetParam());
    }
    void TearDown() override {
        compare_words(compared_by_default_);
        EXPECT_TRUE(stack.untouched_above());
        EXPECT_TRUE(second.untouched_above());
        std::fesetround(FE_TONEAREST);
    }

    test_stack stack;
    test_stack second;

private:
    bool compared_by_default_ = false;
};

}  // namespace lazult::arch_test
