// SPDX-License-Identifier: BSD-3-Clause
// Options with a window that would not fit.
#include "doors/concert/src/messages/options.hpp"

#include <gtest/gtest.h>

#include <string>

namespace lazult::concert {
namespace {

concert_options push_options() {
    concert_options options;
    EXPECT_EQ(read_options(options), CONCERT_OK);
    options.scheme = CONCERT_PUSH;
    return options;
}

TEST(ring_options, refuse_a_ring_that_wraps) {
    concert_options options = push_options();
    options.slots = 1U << 20;
    options.aggregate_bytes = 262'144;  // 2^38 bytes
    EXPECT_EQ(check_options(options), CONCERT_ERR_ARGUMENT);
    EXPECT_NE(std::string(concert_last_error()).find("512 MiB"), std::string::npos);
    options.aggregate_bytes = 4096;  // 2^32 bytes
    EXPECT_EQ(check_options(options), CONCERT_ERR_ARGUMENT);
}

TEST(ring_options, accept_the_largest_ring) {
    concert_options options = push_options();
    options.slots = 1U << 17;
    EXPECT_EQ(check_options(options), CONCERT_OK);
    options.slots = (1U << 17) + 1;
    EXPECT_EQ(check_options(options), CONCERT_ERR_ARGUMENT);
}

TEST(ring_options, do_not_matter_for_pull) {
    concert_options options = push_options();
    options.scheme = CONCERT_PULL;
    options.slots = 1U << 20;
    EXPECT_EQ(check_options(options), CONCERT_OK);
}

TEST(auto_options, are_held_to_the_rules_of_both_ways) {
    concert_options options = push_options();
    options.scheme = CONCERT_AUTO;
    EXPECT_EQ(check_options(options), CONCERT_OK);
    options.slots = 4;  // push would refuse: longer messages go by pull
    EXPECT_EQ(check_options(options), CONCERT_OK);
    options.slots = (1U << 17) + 1;
    EXPECT_EQ(check_options(options), CONCERT_ERR_ARGUMENT);
    options.slots = 256;
    options.pool_bytes = 64 * 1024;
    EXPECT_EQ(check_options(options), CONCERT_ERR_ARGUMENT);
}

}  // namespace
}  // namespace lazult::concert
