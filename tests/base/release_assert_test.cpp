// SPDX-License-Identifier: BSD-3-Clause
// The release meaning of LAZULT_ASSERT, in every build.
#undef LAZULT_ASSERTIONS
#define LAZULT_ASSERTIONS 0
#include "lazult/base/misuse.hpp"

#include <gtest/gtest.h>

namespace {

TEST(release_assert, does_not_evaluate_its_condition) {
    int evaluated = 0;
    const auto condition = [&] { return ++evaluated == 0; };
    LAZULT_ASSERT(condition());
    EXPECT_EQ(evaluated, 0);
}

}  // namespace
