// SPDX-License-Identifier: BSD-3-Clause
// Units in place inside units in place, where an inner one suspends: everything that stands below
// it moves along.
#include "tests/support/runtime.hpp"

#include <gtest/gtest.h>

#include <atomic>

namespace {

using namespace lazult;
using namespace lazult::support;

// The child never suspends itself, but a unit that it runs in place does. Meanwhile the parent
// runs, and stands in its pool anew when the child ends: the child must not return into the frame
// that the parent left.
TEST(nested_in_place, suspension_counts_as_the_childs) {
    const runtime running;
    int resumed = 0;
    unit parent = spawn(pinned(), technique::lazy_stack, [&] {
        unit child(pinned(),
                   core::unit_attributes(technique::return_on_completion, std::size_t{1} << 20),
                   [&] {
                       unit inner = spawn(default_pool(), technique::scheduler_creation,
                                          [] { suspend_for_a_moment(); });
                       inner.join();
                   });
        child.launch_child_first();
        ++resumed;
        for (int i = 0; i < 4; ++i) {
            suspend_for_a_moment();
        }
        child.join();
    });
    parent.join();
    EXPECT_EQ(resumed, 1);
}

void move_to_another_stream() {
    for (int rank = 0; rank < 2; ++rank) {
        sched::stream* s = sched::stream_at(rank);
        if (s != sched::this_stream()) {
            core::current_unit()->home = s->pinned();
            core::leave_for_home();
            return;
        }
    }
}

TEST(nested_in_place, all_follow_the_innermost_to_another_stream) {
    const runtime running(2);
    const core::unit_attributes roomy(technique::lazy_stack, std::size_t{1} << 20);
    std::atomic<int> wrong{0};
    for (int i = 0; i < 500; ++i) {
        unit joiner = spawn(default_pool(), roomy, [&] {
            const work_unit* const me = core::current_unit();
            unit middle = spawn(default_pool(), technique::scheduler_creation, [&] {
                unit inner =
                    spawn(default_pool(), technique::scheduler_creation, move_to_another_stream);
                inner.join();
            });
            middle.join();
            if (core::current_unit() != me) {
                wrong.fetch_add(1, std::memory_order_relaxed);
            }
        });
        joiner.join();
    }
    EXPECT_EQ(wrong.load(std::memory_order_relaxed), 0);
}

}  // namespace
