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

thread_local int first_of_thread[4] = {1, 2, 3, 4};
thread_local long second_of_thread = 5;

TEST(local_symbols, name_thread_local_variables) {
    asm volatile("" : : "r"(&first_of_thread), "r"(&second_of_thread) : "memory");
    bool has_first = false;
    bool has_second = false;
    for (std::uint64_t offset = 0; offset < 4096; offset += 4) {
        std::uint64_t begin = 0;
        const std::string name = os::thread_local_name("", offset, begin);
        if (name.find("first_of_thread") != std::string::npos) {
            has_first = true;
            EXPECT_LT(offset - begin, sizeof first_of_thread);
        }
        if (name.find("second_of_thread") != std::string::npos) {
            has_second = true;
            EXPECT_LT(offset - begin, sizeof second_of_thread);
        }
    }
    EXPECT_TRUE(has_first && has_second);
    std::uint64_t begin = 0;
    EXPECT_EQ(os::thread_local_name("/no/such/file", 0, begin), "");
    EXPECT_EQ(os::thread_local_name("", std::uint64_t{1} << 40, begin), "");
}

}  // namespace
