// SPDX-License-Identifier: BSD-3-Clause
// Units that others know of before they have left their stack.
#include "lazult/core/switch/leave.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>

#include "tests/support/runtime.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;
using namespace std::chrono_literals;

// In the middle of its suspension the unit makes itself ready, and stays on its stack until another
// stream has taken it. False: it had left before, because its stream's loop was due.
bool suspend_until_taken() {
    work_unit* const self = core::this_worker().current;
    const core::pool* const home = self->home;
    bool was_leaving = false;
    core::suspend_published<core::suspension_reason::waits>([self, home, &was_leaving]() noexcept {
        const bool is_leaving = !self->has_left();
        was_leaving = is_leaving;
        core::make_ready(core::this_worker_or_null(), self);
        if (!is_leaving) {
            return;  // it may be running
        }
        const auto end = std::chrono::steady_clock::now() + 5s;
        while (core::present_home(*self) == home && std::chrono::steady_clock::now() < end) {
            std::this_thread::yield();
        }
        std::this_thread::sleep_for(5ms);
    });
    return was_leaving;
}

TEST(leave, a_unit_that_is_taken_meanwhile_goes_on_when_it_has_left) {
    const runtime running(2);
    int moves = 0;
    for (int round = 0; round < 5; ++round) {
        unit u(default_pool(), core::unit_attributes(technique::lazy_stack), [&moves] {
            const int first = core::this_worker().rank;
            std::atomic<bool> has_moved{false};
            std::array<unit, 2> others;  // a stream with nothing else to run goes through its loop
            for (int i = 0; i < 2; ++i) {
                others[static_cast<std::size_t>(i)] =
                    unit(*sched::stream_at(i)->pinned(),
                         core::unit_attributes(technique::lazy_stack), [&has_moved] {
                             while (!has_moved.load()) {
                                 core::yield();
                             }
                         });
                others[static_cast<std::size_t>(i)].launch();
            }
            core::yield();  // a context that nobody may take for the next one
            std::array<int, 1000> numbers;
            std::iota(numbers.begin(), numbers.end(), first);
            bool was_leaving = false;
            for (int i = 0; i < 100 && !was_leaving; ++i) {
                const int before = core::this_worker().rank;
                was_leaving = suspend_until_taken();
                moves += core::this_worker().rank != before ? 1 : 0;
            }
            EXPECT_EQ(was_leaving, core::publishes_before_leaving);
            for (int i = 0; i < 1000; ++i) {
                EXPECT_EQ(numbers[static_cast<std::size_t>(i)], first + i);
            }
            has_moved = true;
        });
        u.launch();
        EXPECT_EQ(u.join(), status::ok);
    }
    // What was taken may have been taken back before it ran.
    EXPECT_TRUE(moves != 0 || !core::publishes_before_leaving);
}

}  // namespace
