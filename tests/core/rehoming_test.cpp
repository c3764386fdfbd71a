// SPDX-License-Identifier: BSD-3-Clause
// What doors hear of migrations, where a unit ran last, and units that are used again.
#include <gtest/gtest.h>

#include "lazult/core/switch/nested.hpp"

#include "tests/support/runtime.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;
using sched::private_fifo;

constexpr std::uint16_t guarded = 0x4000;
bool doors_are_open = false;

bool ask_door(work_unit&, core::pool&) noexcept { return doors_are_open; }

TEST(rehoming, a_door_may_refuse_for_a_while) {
    ASSERT_TRUE(core::register_rehoming(guarded, ask_door));
    const runtime running;
    private_fifo target;
    ASSERT_EQ(target.attach(core::this_worker()), status::ok);
    core::unit_attributes how(technique::lazy_stack);
    how.user_bits(guarded);
    unit u(pinned(), how, [] { core::yield(); });
    u.launch();
    EXPECT_EQ(core::migrate(*u.get(), target), status::ok);
    doors_are_open = false;
    core::yield();
    EXPECT_EQ(u.get()->home, &pinned()) << "it started where it was";
    doors_are_open = true;
    core::yield();
    EXPECT_EQ(u.get()->home, &target);
    EXPECT_EQ(target.size(), 1U);
    while (work_unit* moved = target.pop(core::this_worker())) {
        core::run_nested(core::this_worker(), moved);
    }
    EXPECT_EQ(u.join(), status::ok);
    target.detach(core::this_worker());
}

TEST(rehoming, a_fresh_unit_moves_without_having_run) {
    const runtime running;
    private_fifo target;
    ASSERT_EQ(target.attach(core::this_worker()), status::ok);
    bool ran = false;
    unit u(pinned(), core::unit_attributes(), [&] { ran = true; });
    u.launch();
    EXPECT_EQ(core::migrate(*u.get(), target), status::ok);
    core::yield();
    EXPECT_FALSE(ran);
    EXPECT_EQ(target.size(), 1U);
    core::run_nested(core::this_worker(), target.pop(core::this_worker()));
    EXPECT_TRUE(ran);
    EXPECT_EQ(u.join(), status::ok);
    target.detach(core::this_worker());
}

TEST(ran_on, names_the_place_of_the_last_run) {
    const runtime running;
    core::this_worker().set_stream_number(7);
    unit u(pinned(), core::unit_attributes(), [] {});
    u.get()->ran_on.store(0, std::memory_order_relaxed);
    u.launch();
    EXPECT_EQ(u.get()->ran_on.load(std::memory_order_relaxed), 0);
    EXPECT_EQ(u.join(), status::ok);
    EXPECT_EQ(u.get()->ran_on.load(std::memory_order_relaxed), 7);
    core::this_worker().set_stream_number(0);
}

TEST(renewal, a_renewed_unit_may_start_child_first) {
    const runtime running;
    int runs = 0;
    unit u(pinned(), core::unit_attributes(technique::lazy_stack), [&] { ++runs; });
    u.launch();
    EXPECT_EQ(u.join(), status::ok);
    core::renew(u.get(), pinned(), u.get()->entry, u.get()->argument);
    EXPECT_EQ(u.get()->state(), core::life_state::ready);
    core::launch_child_first(u.get());
    EXPECT_EQ(runs, 2);
    EXPECT_EQ(u.join(), status::ok);
}

}  // namespace
