// SPDX-License-Identifier: BSD-3-Clause
#include "remote/circle_search.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace lazult {
namespace {

concert::edge from_to(std::uint64_t held, std::uint64_t wanted) {
    return {{{held, 0}, "held"}, {{wanted, 0}, "wanted"}, 1};
}

std::size_t circle_of(const std::vector<concert::edge>& all) {
    return concert::circle_search(all).find().size();
}

TEST(circle_search, finds_a_circle_of_any_length) {
    EXPECT_EQ(circle_of({from_to(1, 1)}), 1U);
    EXPECT_EQ(circle_of({from_to(1, 2), from_to(2, 1)}), 2U);
    EXPECT_EQ(circle_of({from_to(1, 2), from_to(2, 3), from_to(3, 1)}), 3U);
}

TEST(circle_search, finds_none_in_a_tree) {
    EXPECT_EQ(circle_of({}), 0U);
    EXPECT_EQ(circle_of({from_to(1, 2), from_to(1, 3), from_to(2, 3), from_to(3, 4)}), 0U);
}

// The first edge leads into the circle and is no part of it.
TEST(circle_search, finds_a_circle_behind_a_bystander) {
    EXPECT_EQ(circle_of({from_to(1, 2), from_to(3, 2), from_to(2, 3)}), 2U);
    EXPECT_EQ(circle_of({from_to(3, 2), from_to(2, 3), from_to(1, 2)}), 2U);
}

}  // namespace
}  // namespace lazult
