// SPDX-License-Identifier: BSD-3-Clause
// The kinds of pools that users can make by name.
#include "lazult/sched/pool_kinds.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "tests/support/pool_fixture.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;

class pool_kinds : public pool_fixture {};

TEST_F(pool_kinds, have_the_names_that_their_pools_tell) {
    std::set<std::string_view> names;
    for (const sched::pool_kind_row& row : sched::pool_kinds()) {
        const std::unique_ptr<sched::ready_pool> made(sched::make_pool(row.name));
        ASSERT_NE(made, nullptr) << row.name;
        EXPECT_EQ(made->kind(), row.name);
        names.insert(row.name);
    }
    EXPECT_EQ(names.size(), sched::pool_kinds().size());
    EXPECT_EQ(sched::make_pool("private"), nullptr);
    EXPECT_EQ(sched::make_pool(""), nullptr);
}

TEST_F(pool_kinds, give_back_each_unit_once) {
    for (const sched::pool_kind_row& row : sched::pool_kinds()) {
        SCOPED_TRACE(row.name);
        const std::unique_ptr<sched::ready_pool> made(row.make());
        worker& w = core::this_worker();
        ASSERT_EQ(made->attach(w), status::ok);
        const auto pushed = make_pushed(*made, 5);
        EXPECT_EQ(made->size(), 5U);
        const auto popped = pop_all(*made);
        EXPECT_EQ(std::set<work_unit*>(popped.begin(), popped.end()),
                  std::set<work_unit*>(pushed.begin(), pushed.end()));
        EXPECT_EQ(popped.size(), pushed.size());
        EXPECT_EQ(made->size(), 0U);
        made->detach(w);
    }
}

}  // namespace
