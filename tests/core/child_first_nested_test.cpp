// SPDX-License-Identifier: BSD-3-Clause
// A child that runs its own parent above itself (run_nested), and the parent gives way: the parent
// stands at the front of its private pool again, and the child's end takes it for the one that it
// was published as.
#include <gtest/gtest.h>

#include "lazult/core/switch/nested.hpp"
#include "tests/support/runtime.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;

void check(core::pool& home) {
    int parent_steps = 0;
    bool child_ended = false;
    unit parent = spawn(home, technique::lazy_stack, [&] {
        work_unit* const self = core::current_unit();
        unit child(home, core::unit_attributes(technique::return_on_completion), [&, self] {
            worker& w = core::this_worker();
            ASSERT_EQ(home.pop(w), self);
            core::run_nested(w, self);  // the parent runs on to its yield
            EXPECT_EQ(parent_steps, 1);
            child_ended = true;
        });
        child.launch_child_first();
        ++parent_steps;  // must be passed once
        core::yield();
        EXPECT_TRUE(child_ended);
        EXPECT_EQ(parent_steps, 1) << "the parent went on twice from one call";
        child.join();
    });
    EXPECT_EQ(parent.join(), status::ok);
    EXPECT_EQ(parent_steps, 1);
}

// As above, but the parent blocks, and the child makes it ready again: in a deque it gets the very
// place that it had.
void check_parked(core::pool& home, bool others) {
    int parent_steps = 0;
    unit parent = spawn(home, technique::lazy_stack, [&] {
        work_unit* const self = core::current_unit();
        unit older;  // below the parent, which is then not at the deque's last place
        if (others) {
            older = spawn(home, technique::lazy_stack, [] {});
        }
        unit child(home, core::unit_attributes(technique::return_on_completion), [&, self] {
            worker& w = core::this_worker();
            ASSERT_EQ(home.pop(w), self);
            core::run_nested(w, self);  // the parent runs on until it parks
            EXPECT_EQ(parent_steps, 1);
            core::unpark(self);
        });
        child.launch_child_first();
        ++parent_steps;
        core::park();
        EXPECT_EQ(parent_steps, 1) << "the parent went on twice from one call";
        child.join();
    });
    EXPECT_EQ(parent.join(), status::ok);
    EXPECT_EQ(parent_steps, 1);
}

TEST(child_first_nested, parked_private_pool) {
    const runtime running(1);
    check_parked(pinned(), false);
}

TEST(child_first_nested, parked_stealing_pool) {
    const runtime running(1);
    check_parked(default_pool(), true);
}

TEST(child_first_nested, private_pool) {
    const runtime running(1);
    check(pinned());
}

TEST(child_first_nested, stealing_pool) {
    const runtime running(1);
    check(default_pool());
}

}  // namespace
