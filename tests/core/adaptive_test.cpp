// SPDX-License-Identifier: BSD-3-Clause
// What adaptive learns from units that join others of their own function.
#include <gtest/gtest.h>

#include "tests/support/runtime.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;

struct call {
    core::pool* home;
    int n;
    bool gives_way;
    long result = 0;
};

// The entry function of all units here, so that they share what is learnt.
void fib(void* argument) {
    auto& mine = *static_cast<call*>(argument);
    if (mine.gives_way) {
        core::yield();
    }
    if (mine.n < 2) {
        mine.result = mine.n;
        return;
    }
    call left{mine.home, mine.n - 1, mine.gives_way};
    call right{mine.home, mine.n - 2, mine.gives_way};
    worker& w = core::this_worker();
    work_unit* child =
        core::prepare(w, *mine.home, fib, &left, core::unit_attributes(technique::adaptive));
    ASSERT_NE(child, nullptr);
    core::launch(w, child);
    fib(&right);
    ASSERT_EQ(core::join(child), status::ok);
    core::dispose(core::this_worker_or_null(), child);
    mine.result = left.result + right.result;
}

std::uint64_t planned_with_stacks() {
    return core::this_worker().count.planned[static_cast<int>(technique::lazy_stack)].get();
}

// A join that gives way to a child only because both have stacks is no reason to give the next ones
// stacks.
TEST(adaptive_test, a_function_that_joins_its_own_kind_loses_its_stacks_again) {
    const runtime running(1);
    unit all = spawn(default_pool(), technique::full, [] {
        core::pool& home = *sched::this_stream()->stealing();  // the newest first
        call suspending{&home, 18, true};
        fib(&suspending);
        const std::uint64_t while_suspending = planned_with_stacks();
        EXPECT_GT(while_suspending, 0U);
        call calm{&home, 23, false};
        fib(&calm);
        EXPECT_EQ(calm.result, 28657);
        // Of 46,367 units: a few windows' worth until it is noticed.
        EXPECT_LT(planned_with_stacks() - while_suspending, 10'000U);
    });
    EXPECT_EQ(all.join(), status::ok);
}

}  // namespace
