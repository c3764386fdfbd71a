// SPDX-License-Identifier: BSD-3-Clause
// What a door keeps for units, and hears of their disposal.
#include <gtest/gtest.h>

#include <thread>

#include "tests/support/runtime.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;

constexpr std::uint16_t door_bit = 0x4000;
std::atomic<int> heard{0};
std::atomic<const void*> last{nullptr};

void hear(worker* w, work_unit* u) noexcept {
    EXPECT_TRUE(w == nullptr || w == core::this_worker_or_null());
    last = u;
    heard.fetch_add(1);
}

core::unit_attributes of_door(technique how, std::uint16_t bits = door_bit) {
    return core::unit_attributes(how).user_bits(bits);
}

class unit_data : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_TRUE(core::register_unit_data(door_bit, hear));
        heard = 0;
    }
    const runtime running_{2};
};

TEST_F(unit_data, are_registered_once) {
    EXPECT_TRUE(core::register_unit_data(door_bit, hear));
    unit u(pinned(), of_door(technique::lazy_stack), [] {});
    core::set_owned_by_door(*u.get());
    u.launch();
    u = unit();
    EXPECT_EQ(heard.load(), 1);
}

TEST_F(unit_data, the_door_hears_when_a_joined_unit_is_freed_and_not_before) {
    for (const technique how : all_techniques) {
        heard = 0;
        unit u(pinned(), of_door(how), [] {});
        work_unit* const address = u.get();
        core::set_owned_by_door(*address);
        u.launch();
        EXPECT_EQ(u.join(), status::ok);
        EXPECT_EQ(heard.load(), 0);
        u = unit();
        EXPECT_EQ(heard.load(), 1) << name_of(how);
        EXPECT_EQ(last.load(), address);
    }
}

TEST_F(unit_data, others_doors_and_units_that_own_nothing_are_not_its_affair) {
    unit others(pinned(), of_door(technique::adaptive, 1), [] {});
    core::set_owned_by_door(*others.get());
    unit owns_nothing(pinned(), of_door(technique::adaptive), [] {});
    others.launch();
    owns_nothing.launch();
    others = unit();
    owns_nothing = unit();
    EXPECT_EQ(heard.load(), 0);
}

TEST_F(unit_data, survive_a_revival) {
    unit u(pinned(), of_door(technique::full), [] {});
    core::set_owned_by_door(*u.get());
    u.launch();
    EXPECT_EQ(u.join(), status::ok);
    EXPECT_EQ(u.revive(pinned(), [] {}), status::ok);
    EXPECT_EQ(u.join(), status::ok);
    EXPECT_EQ(heard.load(), 0);
    u = unit();
    EXPECT_EQ(heard.load(), 1);
}

// Born detached, in pools of this stream and of another one: the end frees it.
TEST_F(unit_data, of_a_unit_that_is_born_detached) {
    static std::atomic<int> ran;
    for (const technique how : all_techniques) {
        for (core::pool* home : {static_cast<core::pool*>(&pinned()), &default_pool(),
                                 static_cast<core::pool*>(sched::stream_at(1)->pinned())}) {
            heard = 0;
            ran = 0;
            worker& w = core::this_worker();
            work_unit* u =
                core::prepare(w, *home, [](void*) { ran.fetch_add(1); }, nullptr, of_door(how));
            core::set_owned_by_door(*u);
            u->join.reset_detached();
            core::launch_open(w, u);
            while (heard.load() == 0) {
                core::yield();
            }
            EXPECT_EQ(ran.load(), 1);
        }
    }
    EXPECT_EQ(heard.load(), 1);
}

// A door's destructors may try to wait. What ended has left its stack, so they cannot; but nothing
// is lost.
TEST_F(unit_data, may_not_suspend_at_the_end_of_a_detached_unit) {
    constexpr std::uint16_t yielding_bit = 0x1000;
    constexpr int units = 2000;
    static std::atomic<int> disposed;
    ASSERT_TRUE(core::register_unit_data(yielding_bit, [](worker*, work_unit*) noexcept {
        core::yield();
        disposed.fetch_add(1);
    }));
    for (const technique how : all_techniques) {
        disposed = 0;
        for (int i = 0; i < units; ++i) {
            worker& w = core::this_worker();
            work_unit* u = core::prepare(
                w, default_pool(), [](void*) { core::yield(); }, nullptr,
                of_door(how, yielding_bit));
            core::set_owned_by_door(*u);
            u->join.reset_detached();
            core::launch_open(w, u);
        }
        while (disposed.load() != units) {
            core::yield();
        }
    }
}

void move_to(int stream) {
    EXPECT_EQ(core::migrate(*core::current_unit(), *sched::stream_at(stream)->pinned()),
              status::ok);
    core::yield();
    EXPECT_EQ(sched::this_stream(), sched::stream_at(stream));
}

// A user's destructor may suspend the unit that frees another one. That unit may go on on another
// stream.
TEST_F(unit_data, may_move_the_unit_that_frees_to_another_stream) {
    constexpr std::uint16_t moving_bit = 0x2000;
    ASSERT_TRUE(
        core::register_unit_data(moving_bit, [](worker*, work_unit*) noexcept { move_to(1); }));
    unit mover = spawn(pinned(), technique::lazy_stack, [] {
        move_to(1);
        unit other(pinned(), core::unit_attributes(technique::lazy_stack), [] {});
        unit u(pinned(), of_door(technique::lazy_stack, moving_bit), [] {});
        work_unit* const address = u.get();
        core::set_owned_by_door(*address);
        other.launch();
        u.launch();
        EXPECT_EQ(other.join(), status::ok);
        EXPECT_EQ(u.join(), status::ok);
        other = unit();
        move_to(0);
        u = unit();
        ASSERT_EQ(sched::this_stream(), sched::stream_at(1));
        // What was freed last is used first, on the stream that it was made and freed on.
        unit next(pinned(), core::unit_attributes(technique::lazy_stack), [] {});
        EXPECT_EQ(next.get(), address);
        next.launch();
        EXPECT_EQ(next.join(), status::ok);
    });
    EXPECT_EQ(mover.join(), status::ok);
}

}  // namespace
