// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/switch/local.hpp"

#include <gtest/gtest.h>

#include "tests/support/runtime.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;

std::atomic<int> destroyed{0};
void count_destruction(void* value) {
    EXPECT_NE(value, nullptr);
    destroyed.fetch_add(1);
}

class local_test : public testing::Test {
protected:
    void SetUp() override {
        destroyed = 0;
        key = core::create_local_key(count_destruction);
        ASSERT_NE(key, core::invalid_local_key);
    }
    void TearDown() override { core::destroy_local_key(key); }

    core::local_key key = core::invalid_local_key;
    int value = 0;
};

TEST_F(local_test, every_ult_has_its_own_and_its_end_destroys_it) {
    const runtime running(2);
    for (const technique how : all_techniques) {
        destroyed = 0;
        std::vector<unit> units;
        for (int i = 0; i < 20; ++i) {
            units.push_back(spawn(default_pool(), how, [&, how, i] {
                work_unit& self = *core::current_unit();
                EXPECT_EQ(core::get_local(self, key), nullptr);
                EXPECT_TRUE(core::set_local(self, key, &value + i));
                if (how != technique::run_to_completion) {
                    suspend_for_a_moment();
                }
                EXPECT_EQ(core::get_local(*core::current_unit(), key), &value + i);
            }));
        }
        for (unit& u : units) {
            u.join();
        }
        EXPECT_EQ(destroyed.load(), 20) << support::name_of(how);
    }
}

// A destructor may suspend a unit that has been cancelled. The unit ends anyhow, so the
// cancellation must not unwind the destructor.
TEST_F(local_test, destructors_of_a_cancelled_unit_may_suspend_it) {
    const runtime running(2);
    const core::local_key yields = core::create_local_key([](void*) {
        suspend_for_a_moment();
        core::yield();
        destroyed.fetch_add(1);
    });
    for (const technique how : all_techniques) {
        if (how == technique::run_to_completion) {
            continue;
        }
        destroyed = 0;
        for (const bool unwinds : {false, true}) {
            unit u = spawn(default_pool(), how, [&] {
                work_unit& self = *core::current_unit();
                EXPECT_TRUE(core::set_local(self, yields, &value));
                EXPECT_EQ(core::cancel(self), status::ok);
                if (unwinds) {
                    core::yield();
                    ADD_FAILURE() << "it was cancelled";
                }
            });
            EXPECT_EQ(u.join(), status::ok);
        }
        EXPECT_EQ(destroyed.load(), 2) << support::name_of(how);
    }
    core::destroy_local_key(yields);
}

TEST_F(local_test, null_values_and_foreign_keys_are_not_destroyed) {
    const runtime running;
    const core::local_key plain = core::create_local_key(nullptr);
    unit u = spawn(pinned(), technique::adaptive, [&] {
        core::set_local(*core::current_unit(), key, &value);
        core::set_local(*core::current_unit(), key, nullptr);
        core::set_local(*core::current_unit(), plain, &value);
    });
    u.join();
    EXPECT_EQ(destroyed.load(), 0);
    core::destroy_local_key(plain);
}

TEST_F(local_test, a_destroyed_key_destroys_nothing) {
    const runtime running;
    const core::local_key gone = core::create_local_key(count_destruction);
    unit u = spawn(pinned(), technique::adaptive, [&] {
        core::set_local(*core::current_unit(), gone, &value);
        core::destroy_local_key(gone);
    });
    u.join();
    EXPECT_EQ(destroyed.load(), 0);
}

core::local_key reborn = core::invalid_local_key;
void set_again(void* value) {
    destroyed.fetch_add(1);
    core::set_local(*core::current_unit(), reborn, value);
}

TEST_F(local_test, values_that_destructors_set_are_destroyed_a_few_rounds_long) {
    const runtime running;
    reborn = core::create_local_key(set_again);
    unit u = spawn(pinned(), technique::adaptive,
                   [&] { core::set_local(*core::current_unit(), reborn, &value); });
    u.join();
    EXPECT_EQ(destroyed.load(), 4);
    core::destroy_local_key(reborn);
}

TEST_F(local_test, a_ult_that_exits_or_is_cancelled_destroys_too) {
    const runtime running;
    for (const technique how : suspending_techniques) {
        destroyed = 0;
        unit exits = spawn(pinned(), how, [&] {
            core::set_local(*core::current_unit(), key, &value);
            core::exit_running();
        });
        exits.join();
        EXPECT_EQ(destroyed.load(), 1);
        unit canceled = spawn(pinned(), how, [&] {
            core::set_local(*core::current_unit(), key, &value);
            core::cancel(*core::current_unit());
            core::yield();
        });
        canceled.join();
        EXPECT_EQ(destroyed.load(), 2);
    }
}

TEST_F(local_test, values_given_before_the_start_are_the_units) {
    const runtime running;
    unit u(pinned(), core::unit_attributes(technique::adaptive),
           [&] { EXPECT_EQ(core::get_local(*core::current_unit(), key), &value); });
    core::set_local(*u.get(), key, &value);
    u.launch();
    u.join();
    EXPECT_EQ(destroyed.load(), 1);
}

// Cancelled before it ran: its values go, and the next unit in the same descriptor does not see
// them.
TEST_F(local_test, values_of_a_unit_that_never_ran_do_not_survive_it) {
    const runtime running;
    work_unit* descriptor = nullptr;
    {
        unit u(pinned(), core::unit_attributes(technique::adaptive), [] {});
        descriptor = u.get();
        core::set_local(*descriptor, key, &value);
        core::cancel(*descriptor);
        u.launch();
        u.join();
    }
    EXPECT_EQ(destroyed.load(), 1);
    unit next(pinned(), core::unit_attributes(technique::adaptive),
              [&] { EXPECT_EQ(core::get_local(*core::current_unit(), key), nullptr); });
    EXPECT_EQ(next.get(), descriptor);
    next.launch();
    next.join();
    EXPECT_EQ(destroyed.load(), 1);
}

TEST_F(local_test, many_keys) {
    const runtime running;
    std::vector<core::local_key> keys;
    for (int i = 0; i < 100; ++i) {
        keys.push_back(core::create_local_key(count_destruction));
    }
    unit u = spawn(pinned(), technique::adaptive, [&] {
        for (const core::local_key k : keys) {
            core::set_local(*core::current_unit(), k, &value);
        }
        suspend_for_a_moment();
        for (const core::local_key k : keys) {
            EXPECT_EQ(core::get_local(*core::current_unit(), k), &value);
        }
    });
    u.join();
    EXPECT_EQ(destroyed.load(), 100);
    for (const core::local_key k : keys) {
        core::destroy_local_key(k);
    }
}

}  // namespace
