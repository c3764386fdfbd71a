// SPDX-License-Identifier: BSD-3-Clause
// In which order the units of a work-stealing pool run on its own stream: those that give way, and
// those that are joined.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "tests/support/runtime.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;

core::pool& own_stealing_pool() { return *sched::this_stream()->stealing(); }

// But where the loop is due, once in 64 scheduling points, which takes the newest.
TEST(stealing_turns, units_that_yield_take_turns) {
    constexpr int rounds = 1000;
    const runtime running(settings_for(1));
    for (const technique how : suspending_techniques) {
        std::array<std::atomic<int>, 5> turns{};
        std::atomic<int> widest{0};
        std::vector<unit> all;
        for (std::atomic<int>& mine : turns) {
            all.push_back(spawn(own_stealing_pool(), how, [&turns, &widest, &mine] {
                for (int i = 0; i < rounds; ++i) {
                    ++mine;
                    const auto [least, most] = std::minmax_element(turns.begin(), turns.end());
                    widest = std::max(widest.load(), *most - *least);
                    core::yield();
                }
            }));
        }
        for (unit& u : all) {
            EXPECT_EQ(u.join(), status::ok);
        }
        EXPECT_LE(widest, rounds / 32) << name_of(how);
    }
}

// It comes through the pool's shared queue, while the lane is never empty.
TEST(stealing_turns, a_unit_that_another_thread_resumes_has_its_turn_among_those_that_yield) {
    constexpr long soon = 64;
    const runtime running(settings_for(1));
    std::atomic<bool> parks{false};
    std::atomic<bool> resumed{false};
    std::atomic<long> yields{0};
    long when_it_ran = 0;
    unit sleeper = spawn(own_stealing_pool(), technique::lazy_stack, [&] {
        parks = true;
        core::park();
        when_it_ran = yields;
        resumed = true;
    });
    std::vector<unit> others;
    for (int i = 0; i < 2; ++i) {
        others.push_back(spawn(own_stealing_pool(), technique::lazy_stack, [&] {
            while (!resumed) {
                ++yields;
                core::yield();
            }
        }));
    }
    long when_it_was_resumed = 0;
    std::thread waker([&] {
        while (!parks || yields < 1000) {
            std::this_thread::yield();
        }
        core::unpark(sleeper.get());
        when_it_was_resumed = yields;
    });
    for (unit& u : others) {
        EXPECT_EQ(u.join(), status::ok);
    }
    EXPECT_EQ(sleeper.join(), status::ok);
    waker.join();
    EXPECT_LE(when_it_ran - when_it_was_resumed, soon);
}

// The oldest is as easy to find as the newest: nobody has to wait.
TEST(stealing_turns, units_that_are_joined_in_the_order_of_their_creation_are_called) {
    if (probe::tsan) {
        GTEST_SKIP() << "to it, what is called in place would be one thread with its joiner";
    }
    const runtime running(settings_for(1));
    for (const technique how : {technique::scheduler_creation, technique::run_to_completion,
                                technique::stack_separation, technique::return_on_completion}) {
        std::vector<int> order;
        std::vector<unit> all;
        for (int i = 0; i < 100; ++i) {
            all.push_back(spawn(own_stealing_pool(), how, [&order, i] { order.push_back(i); }));
        }
        const std::uint64_t before = core::this_worker().count.suspensions.get();
        for (unit& u : all) {
            EXPECT_EQ(u.join(), status::ok);
        }
        EXPECT_EQ(core::this_worker().count.suspensions.get(), before) << name_of(how);
        ASSERT_EQ(order.size(), all.size());
        EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
    }
}

// Thieves take from the end at which the joiner takes.
TEST(stealing_turns, units_that_thieves_want_too_run_once) {
    const runtime running(settings_for(3));
    std::atomic<long> runs{0};
    unit creator = spawn(own_stealing_pool(), technique::lazy_stack, [&] {
        for (int round = 0; round < 2000; ++round) {
            std::vector<unit> all;
            for (int i = 0; i < 20; ++i) {
                all.push_back(spawn(own_stealing_pool(), suspending_techniques[i % 6], [&runs, i] {
                    ++runs;
                    if (i % 5 == 0) {
                        core::yield();
                    }
                }));
            }
            for (unit& u : all) {
                EXPECT_EQ(u.join(), status::ok);
            }
        }
    });
    EXPECT_EQ(creator.join(), status::ok);
    EXPECT_EQ(runs, 2000 * 20);
}

}  // namespace
