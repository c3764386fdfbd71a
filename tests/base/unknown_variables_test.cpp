// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/base/unknown_variables.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "lazult/base/base.hpp"

namespace {

using namespace lazult::base;

std::vector<std::string_view> variables_of_settings() {
    std::vector<std::string_view> variables;
    for (const setting_description* row : all_settings()) {
        variables.emplace_back(row->variable);
    }
    return variables;
}

std::vector<std::string> described(std::vector<const char*> environment) {
    environment.push_back(nullptr);
    return describe_unknown_variables(environment.data(), "LAZULT_", variables_of_settings());
}

std::string nearest_of(const char* entry) {
    const std::vector<std::string> texts = described({entry});
    return texts.size() == 1 ? texts[0] : "not one text";
}

TEST(unknown_variables, a_misspelt_one_is_named_with_the_nearest_setting) {
    EXPECT_EQ(nearest_of("LAZULT_STREMS=3"),
              "LAZULT_STREMS is no setting and is ignored: the nearest one is LAZULT_STREAMS");
    EXPECT_TRUE(nearest_of("LAZULT_STACKSIZE=1M").ends_with(" LAZULT_STACK_SIZE"));
    EXPECT_TRUE(nearest_of("LAZULT_WATCH_DOG=2").ends_with(" LAZULT_WATCHDOG"));
    EXPECT_TRUE(nearest_of("LAZULT_streams=3").ends_with(" LAZULT_STREAMS"));
}

TEST(unknown_variables, a_far_one_is_named_without_a_guess) {
    EXPECT_EQ(
        nearest_of("LAZULT_XYZZY_PLUGH_QUUX=3"),
        "LAZULT_XYZZY_PLUGH_QUUX is no setting and is ignored: `lazult info` lists all of them");
}

TEST(unknown_variables, known_ones_and_those_of_others_are_left_alone) {
    for (const setting_definition& row : setting_table()) {
        EXPECT_TRUE(is_known_variable(row.variable, variables_of_settings())) << row.variable;
    }
    EXPECT_TRUE(described({"LAZULT_STREAMS=x", "LAZULT_CONCERT_POOL=1", "LAZULT_BIN_DIR=/",
                           "LAZULT_STRESS_SEED=1", "lazult_DIR=/opt", "LAZULTS=1",
                           "XLAZULT_STREMS=1", "PATH=/bin", "LAZULT", ""})
                    .empty());
    EXPECT_TRUE(describe_unknown_variables(nullptr, "LAZULT_", {}).empty());
}

TEST(unknown_variables, those_of_a_door_are_the_doors_to_judge) {
    EXPECT_TRUE(described({"LAZULT_MPI_WINDWO=1", "LAZULT_OMP_X=1", "LAZULT_ABT_NUL=zero",
                           "LAZULT_CONCERT_SCHEMA=pull"})
                    .empty());
    std::array rows{door_setting{
        {"mpi_window", "LAZULT_MPI_WINDOW", setting_type::count, 1, 9, {}, "", "a window"}, 3}};
    const door_settings registered("LAZULT_MPI_", rows);
    EXPECT_TRUE(described({"LAZULT_MPI_WINDOW=1"}).empty());
    EXPECT_TRUE(nearest_of("LAZULT_MPI_WINDWO=1").ends_with(" LAZULT_MPI_WINDOW"));
}

TEST(unknown_variables, texts_are_few_and_short_and_of_one_line) {
    const std::string hostile = "LAZULT_\n\x1b[31m" + std::string(5000, 'A') + "=1";
    const std::vector<std::string> texts =
        described(std::vector<const char*>(100, hostile.c_str()));
    EXPECT_LE(texts.size(), 8U);
    for (const std::string& text : texts) {
        EXPECT_LT(text.size(), 300U);
        EXPECT_EQ(text.find_first_of("\n\x1b"), text.npos);
    }
}

void reads_settings_twice() {
    ::setenv("LAZULT_STREMS", "3", 1);
    current_settings();
    current_settings();
    std::_Exit(0);
}

TEST(unknown_variables_process, the_first_use_of_the_settings_warns_once) {
    EXPECT_EXIT(reads_settings_twice(), testing::ExitedWithCode(0),
                "^lazult: warning: LAZULT_STREMS is no setting and is ignored: the nearest one is "
                "LAZULT_STREAMS\n$");
}

}  // namespace
