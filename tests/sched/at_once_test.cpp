// SPDX-License-Identifier: BSD-3-Clause
// Units that start at once: their creators wait below them, and go on when something above them
// suspends.
#include "lazult/core/life/at_once.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include <atomic>
#include <vector>

#include "lazult/core/switch/nested.hpp"
#include "lazult/os/os.hpp"
#include "tests/support/runtime.hpp"
#include "tests/support/steps.hpp"

namespace lazult::core {
namespace {

using support::default_pool;
using support::pinned;
using support::spawn;
using support::suspend_for_a_moment;
using support::unit;

unit at_once(std::function<void()> body, bool has_room_in_list = true) {
    unit u(default_pool(), unit_attributes(technique::adaptive), std::move(body));
    u.launch_at_once(has_room_in_list);
    return u;
}

TEST(at_once, a_unit_that_ends_is_a_call) {
    const support::runtime running(1U);
    const std::uint64_t before = this_worker().count.suspensions.get();
    support::steps order;
    const unit u = at_once([&] { order.add(1); });
    order.add(2);
    EXPECT_EQ(u.get(), nullptr);
    EXPECT_EQ(order.all(), (std::vector{1, 2}));
    EXPECT_EQ(this_worker().count.suspensions.get(), before);
}

TEST(at_once, a_unit_that_suspends_is_a_thread) {
    const support::runtime running(1U);
    support::steps order;
    unit u = at_once([&] {
        order.add(1);
        suspend_for_a_moment();
        order.add(3);
    });
    order.add(2);
    ASSERT_NE(u.get(), nullptr);
    EXPECT_EQ(u.join(), support::status::ok);
    EXPECT_EQ(order.all(), (std::vector{1, 2, 3}));
}

// The unit may poll for what its creator is to do.
TEST(at_once, a_host_with_creators_is_not_idle) {
    base::settings with_spin = support::settings_for(1U);
    with_spin.idle_spin = 1'000'000;
    const support::runtime running(with_spin);
    const auto would_only_poll = [] {
        worker& w = this_worker();
        return w.here->would_only_poll(w);
    };
    const auto let_the_loop_run_until_it_is_idle = [&] {
        while (!would_only_poll()) {
            suspend_for_a_moment();
        }
    };
    let_the_loop_run_until_it_is_idle();
    unit u = at_once([&] {
        EXPECT_FALSE(would_only_poll());
        at_once([&] { EXPECT_FALSE(would_only_poll()); });
        suspend_for_a_moment();
        EXPECT_FALSE(this_worker().here->keeps_work_below());
    });
    EXPECT_EQ(u.join(), support::status::ok);
    let_the_loop_run_until_it_is_idle();
}

TEST(at_once, a_unit_that_finds_no_room_in_its_list_is_joined_by_its_creator) {
    const support::runtime running(1U);
    std::atomic<bool> has_ended{false};
    const unit u = at_once(
        [&] {
            suspend_for_a_moment();
            has_ended = true;
        },
        false);
    EXPECT_TRUE(has_ended);
    EXPECT_EQ(u.get(), nullptr);
}

TEST(at_once, children_in_place_and_children_first_above_it) {
    const support::runtime running(1U);
    support::steps order;
    unit outer = at_once([&] {
        spawn(default_pool(), technique::adaptive, [&] { order.add(1); }).join();
        spawn(default_pool(), technique::full, [&] { order.add(2); }).join();  // by a switch
        unit first(default_pool(), unit_attributes(technique::return_on_completion), [&] {
            order.add(4);
            suspend_for_a_moment();
        });
        first.launch_child_first();
        first.join();
        order.add(5);
    });
    order.add(3);
    EXPECT_EQ(outer.join(), support::status::ok);
    const std::vector<int> all = order.all();
    ASSERT_EQ(all.size(), 5U);
    EXPECT_EQ(all.front(), 1);
    EXPECT_EQ(all.back(), 5);
}

// A child in place of a unit that started at once suspends: the units below both go on.
TEST(at_once, a_child_in_place_above_it_suspends) {
    const support::runtime running(1U);
    support::steps order;
    unit outer = at_once([&] {
        spawn(default_pool(), technique::adaptive, [&] {
            order.add(1);
            unit inner = at_once([&] {
                order.add(2);
                suspend_for_a_moment();
                order.add(5);
            });
            order.add(3);
            inner.join();
        }).join();
        order.add(6);
    });
    order.add(4);
    EXPECT_EQ(outer.join(), support::status::ok);
    std::vector<int> all = order.all();
    ASSERT_EQ(all.size(), 6U);
    std::sort(all.begin() + 2, all.begin() + 5);  // which goes on first is the pool's business
    EXPECT_EQ(all, (std::vector{1, 2, 3, 4, 5, 6}));
}

TEST(at_once, what_runs_nested_above_it_leaves_its_creator_waiting) {
    const support::runtime running(1U);
    support::steps order;
    unit outer = at_once([&] {
        unit above(default_pool(), unit_attributes(technique::adaptive), [&] {
            order.add(1);
            suspend_for_a_moment();
            order.add(4);
        });
        above.launched();
        run_nested(this_worker(), above.get());
        order.add(2);
        above.join();
        order.add(5);
    });
    order.add(3);
    EXPECT_EQ(outer.join(), support::status::ok);
    const std::vector<int> all = order.all();
    ASSERT_EQ(all.size(), 5U);
    EXPECT_EQ(all[0], 1);
    EXPECT_EQ(all[1], 2);  // before its creator's 3
}

TEST(at_once, a_unit_that_exits_or_is_cancelled) {
    const support::runtime running(1U);
    std::atomic<bool> went_on{false};
    at_once([&] {
        exit_running();
        went_on = true;
    });
    EXPECT_FALSE(went_on);
    unit u = at_once([&] {
        EXPECT_EQ(cancel(*current_unit()), support::status::ok);
        yield();
        went_on = true;
    });
    if (u.get() != nullptr) {
        EXPECT_EQ(u.join(), support::status::ok);
    }
    EXPECT_FALSE(went_on);
}

TEST(at_once, a_creator_that_is_to_migrate_does_so_when_it_goes_on) {
    const support::runtime running(1U);
    pool& there = pinned();
    unit creator = spawn(default_pool(), technique::adaptive, [&] {
        work_unit* const self = current_unit();
        unit u = at_once([&] {
            EXPECT_EQ(migrate(*self, there), support::status::ok);
            suspend_for_a_moment();
        });
        EXPECT_EQ(self->home, &there);
        u.join();
    });
    EXPECT_EQ(creator.join(), support::status::ok);
}

// The first units are traced, and main among them.
TEST(at_once, a_creator_that_is_traced_calls_units_all_the_same) {
    base::settings traced = support::settings_for(1U);
    traced.probes = true;
    const support::runtime running(traced);
    int calls = 0;
    for (int i = 0; i < 3000; ++i) {
        calls += at_once([] {}).get() == nullptr ? 1 : 0;
    }
    EXPECT_GT(calls, 0);
    for (int i = 0; i < 3000; ++i) {
        at_once([] { suspend_for_a_moment(); });
    }
}

TEST(at_once, a_creator_that_is_cancelled_ends_after_the_call) {
    const support::runtime running(1U);
    std::atomic<int> calls{0};
    unit creator = spawn(default_pool(), technique::adaptive, [&] {
        EXPECT_EQ(cancel(*current_unit()), support::status::ok);
        for (;;) {
            at_once([&] { ++calls; });
        }
    });
    EXPECT_EQ(creator.join(), support::status::ok);
    EXPECT_EQ(calls, 1);
}

TEST(at_once, a_creator_of_many_lets_others_have_a_turn) {
    const support::runtime running(1U);
    std::atomic<bool> had_a_turn{false};
    unit other = spawn(pinned(), technique::adaptive, [&] { had_a_turn = true; });
    unit creator = spawn(default_pool(), technique::adaptive, [&] {
        while (!had_a_turn) {
            at_once([] {});
        }
    });
    EXPECT_EQ(creator.join(), support::status::ok);
    EXPECT_EQ(other.join(), support::status::ok);
}

TEST(at_once, creators_go_on_elsewhere) {
    const support::runtime running(2U);
    for (int round = 0; round < 300; ++round) {
        std::atomic<bool> may_end{false};
        unit creator = spawn(default_pool(), technique::scheduler_creation, [&] {
            unit u = at_once([&] {
                suspend_for_a_moment();
                while (!may_end.load()) {
                    os::yield_thread();  // so that the other stream has to take the creator
                }
            });
            may_end = true;
            u.join();
        });
        EXPECT_EQ(creator.join(), support::status::ok);
    }
}

}  // namespace
}  // namespace lazult::core
