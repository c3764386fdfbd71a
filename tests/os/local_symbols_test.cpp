// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/os/local_symbols.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace lazult;

[[gnu::noinline]] int known_to_the_file_alone(int n) {
    asm volatile("" : "+r"(n));
    return n;
}

TEST(local_symbols, name_a_static_function) {
    const auto* const entry = reinterpret_cast<const char*>(&known_to_the_file_alone);
    const std::string name = os::local_function_name(entry);
    EXPECT_NE(name.find("known_to_the_file_alone"), std::string::npos) << name;
    EXPECT_EQ(os::local_function_name(entry + 1), "") << "no function begins there";
}

TEST(local_symbols, name_nothing_that_is_no_function) {
    static int variable = 0;
    int local = 0;
    EXPECT_EQ(os::local_function_name(&variable), "");
    EXPECT_EQ(os::local_function_name(&local), "");
    EXPECT_EQ(os::local_function_name(nullptr), "");
}

}  // namespace
