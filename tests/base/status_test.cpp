// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/base/base.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace {

using lazult::base::name;
using lazult::base::status;

TEST(status, every_value_has_a_name_of_its_own) {
    std::set<std::string> names;
    for (int i = 0; i <= static_cast<int>(status::shutting_down); ++i) {
        names.insert(name(static_cast<status>(i)));
    }
    EXPECT_EQ(names.size(), static_cast<std::size_t>(status::shutting_down) + 1);
    EXPECT_EQ(names.count("unknown status"), 0U);
}

TEST(status, a_number_outside_the_enumeration_has_a_name_too) {
    EXPECT_STREQ(name(static_cast<status>(999)), "unknown status");
    EXPECT_STREQ(name(static_cast<status>(-1)), "unknown status");
}

}  // namespace
