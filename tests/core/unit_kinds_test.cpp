// SPDX-License-Identifier: BSD-3-Clause
// Whose a unit is: the kinds that doors register.
#include "lazult/core/unit/unit_kinds.hpp"

#include <gtest/gtest.h>

#include <bit>

#include "tests/support/runtime.hpp"

namespace {

using namespace lazult;
using core::free_unit_kinds;
using core::unit_kinds;

std::uint16_t one_free_kind() {
    const unsigned all = free_unit_kinds();
    return static_cast<std::uint16_t>(all & -all);
}

TEST(unit_kinds, leave_some_to_a_further_door) {
    EXPECT_GE(std::popcount(free_unit_kinds()), 2);
    EXPECT_EQ(free_unit_kinds() & ~core::all_unit_kinds, 0);
    EXPECT_EQ(core::all_unit_kinds & core::unit_header::blocks_thread, 0);
}

TEST(unit_kinds, are_a_doors_while_it_is_loaded) {
    const std::uint16_t before = free_unit_kinds();
    const std::uint16_t mine = one_free_kind();
    {
        const unit_kinds registered(mine, "a door");
        EXPECT_EQ(free_unit_kinds(), before & ~mine);
    }
    EXPECT_EQ(free_unit_kinds(), before);
}

TEST(unit_kinds_death, of_two_doors_are_refused) {
    const std::uint16_t mine = one_free_kind();
    const unit_kinds registered(mine, "a door");
    EXPECT_DEATH(unit_kinds(mine, "another door"),
                 "lazult: another door: it has units of the kinds .* give its units kinds that no "
                 "other door has");
}

TEST(unit_kinds_death, are_not_bits_that_doors_share_or_the_core_has) {
    EXPECT_DEATH(unit_kinds(1, "a door"), "a door: it has units of the kinds 0x1,");
    EXPECT_DEATH(unit_kinds(core::unit_header::blocks_thread, "a door"), "a door: it has units");
}

}  // namespace
