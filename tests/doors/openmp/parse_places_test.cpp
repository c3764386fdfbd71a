// SPDX-License-Identifier: BSD-3-Clause
// What OMP_PLACES may say. The rest of it is in environment.c and, for any text at all, in
// tests/fuzz.
#include "environment/parse_places.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace lazult::omp {
namespace {

using places = std::vector<place>;

const std::vector<int> allowed{0, 1, 2, 3};

TEST(parse_places, takes_intervals) {
    EXPECT_EQ(parse_places("{0:2}:2:2", allowed), (places{{0, 1}, {2, 3}}));
    EXPECT_EQ(parse_places("{0,1,!1},{2:2:1}", allowed), (places{{0}, {2, 3}}));
    EXPECT_EQ(parse_places("{3:2:-1}", allowed), (places{{3, 2}}));
}

TEST(parse_places, leaves_out_what_there_is_not) {
    EXPECT_EQ(parse_places("{0:8192}", allowed), (places{{0, 1, 2, 3}}));
    EXPECT_EQ(parse_places("{0:8192:8192}", allowed), (places{{0}}));
    EXPECT_EQ(parse_places("{4:4}", allowed), std::nullopt);
}

// It took 270 megabytes.
TEST(parse_places, refuses_more_than_it_is_worth) {
    EXPECT_EQ(parse_places("{0:8192}:8192", allowed), std::nullopt);
    EXPECT_EQ(parse_places("{0},{0:8192}:33", allowed), std::nullopt);
}

}  // namespace
}  // namespace lazult::omp
