// SPDX-License-Identifier: BSD-3-Clause
// Ids at the edge of what a unit can keep, where no test gets by asking.
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "doors/argobots/src/units/unit_ids.hpp"

namespace lazult::testing {
namespace {

using abt::unit_ids;

struct unit {
    unit_ids::narrow_id narrow{unit_ids::unasked};
    unit_ids::wide_id wide{unit_ids::wide_unasked};
    bool has_memory = true;
};

// What get() gives; `refused` when it gives nothing.
constexpr std::uint64_t refused = 0xbad;
std::uint64_t ask(unit_ids& ids, unit& u) {
    std::uint64_t id = refused;
    const bool given = ids.get(u.narrow, [&u] { return u.has_memory ? &u.wide : nullptr; }, &id);
    EXPECT_EQ(given, id != refused);
    return id;
}

TEST(unit_ids, begin_at_0_and_stay) {
    unit_ids ids;
    unit first;
    unit second;
    EXPECT_EQ(ask(ids, second), 0U);
    EXPECT_EQ(ask(ids, first), 1U);
    EXPECT_EQ(ask(ids, second), 0U);
    ids.begin_at(0);
    unit third;
    EXPECT_EQ(ask(ids, third), 0U);
}

TEST(unit_ids, have_64_bits) {
    unit_ids ids;
    constexpr std::uint64_t few = 3;
    ids.begin_at(unit_ids::first_wide - few);
    std::vector<unit> units(2 * few);
    for (int round = 0; round < 2; ++round) {
        for (std::size_t i = 0; i < units.size(); ++i) {
            EXPECT_EQ(ask(ids, units[i]), unit_ids::first_wide - few + i);
        }
    }
    unit next;
    EXPECT_EQ(ask(ids, next), unit_ids::first_wide + few);
    ids.begin_at(0x1'2345'6789'abcd);
    unit far;
    EXPECT_EQ(ask(ids, far), 0x1'2345'6789'abcdU);
}

TEST(unit_ids, a_wide_one_without_memory_is_refused_and_given_later) {
    unit_ids ids;
    ids.begin_at(unit_ids::first_wide);
    unit u;
    u.has_memory = false;
    EXPECT_EQ(ask(ids, u), refused);
    EXPECT_EQ(ask(ids, u), refused);
    u.has_memory = true;
    const std::uint64_t id = ask(ids, u);
    EXPECT_GT(id, unit_ids::first_wide);
    EXPECT_EQ(ask(ids, u), id);
}

// At the edge, where one may take a narrow one and another a wide one.
TEST(unit_ids, all_threads_that_ask_at_once_get_the_same_id) {
    constexpr int rounds = 2000;
    unit_ids ids;
    std::set<std::uint64_t> all;
    for (int round = 0; round < rounds; ++round) {
        ids.begin_at(unit_ids::first_wide - 1);
        unit u;
        std::atomic<bool> may_ask{false};
        std::uint64_t other = 0;
        std::thread asker([&] {
            while (!may_ask) {
            }
            other = ask(ids, u);
        });
        may_ask = true;
        const std::uint64_t mine = ask(ids, u);
        asker.join();
        ASSERT_EQ(mine, other);
        ASSERT_EQ(ask(ids, u), mine);
        all.insert(mine);
    }
    EXPECT_LE(all.size(), 2U);
}

}  // namespace
}  // namespace lazult::testing
