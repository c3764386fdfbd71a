// SPDX-License-Identifier: BSD-3-Clause
// What `lazult soak` takes for a leak.
#include "tools/lazult/soak/figures.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace lazult::tool {
namespace {

constexpr double apart = 2;  // seconds

// One figure each two seconds; all others are 0.
std::vector<soak_figures> run_of(const std::vector<double>& values, double soak_figures::* what) {
    std::vector<soak_figures> all;
    for (const double value : values) {
        soak_figures next;
        next.seconds = apart * static_cast<double>(all.size() + 1);
        next.*what = value;
        all.push_back(next);
    }
    return all;
}

std::string judge_kib(const std::vector<double>& values) {
    return judge_memory(run_of(values, &soak_figures::rss_kib));
}

// Free memory went back while the machine was busy with others, and came again with the load.
TEST(soak_figures, memory_that_comes_again_is_no_leak) {
    EXPECT_EQ(judge_kib({21548, 20008, 22760, 18928, 15688, 17892, 18712, 18928, 9016, 6380, 10928,
                         12376, 10388, 16624, 17824, 17264, 18524, 19192, 18660}),
              "");
}

TEST(soak_figures, memory_that_comes_to_more_than_before_is_a_leak) {
    EXPECT_NE(judge_kib({20000, 20000, 20000, 20000, 20000, 20000, 20000, 20000, 6000, 6000, 12000,
                         18000, 21000, 22000, 23000, 24000, 25000, 26000})
                  .find("resident memory rose by"),
              std::string::npos);
}

TEST(soak_figures, memory_that_rises_all_the_time_is_a_leak) {
    std::vector<double> values;
    for (int i = 0; i != 20; ++i) {
        values.push_back(20000 + 500 * i);
    }
    EXPECT_NE(judge_kib(values).find("resident memory rose by"), std::string::npos);
}

// Only a unit that ends gives its stack back. So a rise is a leak even if more stacks were taken
// earlier.
TEST(soak_figures, taken_stacks_that_rise_are_a_leak_also_where_there_were_more) {
    EXPECT_NE(judge_memory(run_of({40, 40, 40, 0, 0, 0, 0, 0, 0, 0, 5, 6, 7, 8, 9, 10, 11, 12},
                                  &soak_figures::stacks_taken))
                  .find("stacks taken rose by"),
              std::string::npos);
}

std::string judge_threads(const std::vector<double>& values) {
    return judge_memory(run_of(values, &soak_figures::threads));
}

TEST(soak_figures, spare_threads_that_come_again_are_no_leak) {
    EXPECT_EQ(judge_threads({4, 6, 4, 5, 6, 4, 4, 5, 4, 4, 4, 4, 4, 5, 6, 6, 6, 6}), "");
}

TEST(soak_figures, threads_that_never_end_are_a_leak) {
    EXPECT_NE(judge_threads({4, 4, 4, 5, 5, 5, 6, 6, 6, 7, 7, 7, 8, 8, 8, 9, 9, 9})
                  .find("OS threads rose by"),
              std::string::npos);
}

TEST(soak_figures, flat_memory_is_no_leak) {
    EXPECT_EQ(judge_kib(std::vector<double>(20, 20000.0)), "");
}

}  // namespace
}  // namespace lazult::tool
