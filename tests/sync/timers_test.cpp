// SPDX-License-Identifier: BSD-3-Clause
#include "tests/sync/harness.hpp"

#include "lazult/base/base.hpp"
#include "lazult/sync/timer_heap.hpp"

#include <algorithm>
#include <atomic>
#include <ctime>
#include <mutex>

namespace lazult::testing {
namespace {

TEST(timer_heap, gives_the_nearest_first_whatever_is_removed) {
    base::xorshift64 random(7);
    for (int round = 0; round < 50; ++round) {
        sync::timer_heap heap;
        std::vector<sync::timer> timers(200);
        std::vector<std::int64_t> expected;
        for (sync::timer& t : timers) {
            t.deadline_ns = static_cast<std::int64_t>(random.next() % 1000);
            heap.insert(t);
        }
        for (sync::timer& t : timers) {
            if (random.next() % 3 == 0) {
                heap.remove(t);
            } else {
                expected.push_back(t.deadline_ns);
            }
        }
        EXPECT_EQ(heap.size(), expected.size());
        std::ranges::sort(expected);
        for (const std::int64_t deadline : expected) {
            ASSERT_NE(heap.nearest(), nullptr);
            EXPECT_EQ(heap.nearest()->deadline_ns, deadline);
            heap.remove(*heap.nearest());
        }
        EXPECT_EQ(heap.nearest(), nullptr);
    }
}

TEST(timers, everybody_sleeps_at_least_so_long) {
    on_one_and_two_streams([] {
        crowd callers;
        const auto body = [](int i) {
            const std::int64_t began = os::now_ns();
            EXPECT_EQ(sync::sleep_for((i % 5 + 1) * millisecond), base::status::ok);
            EXPECT_GE(os::now_ns() - began, (i % 5 + 1) * millisecond);
        };
        callers.threads(2, body);
        callers.ults(12, body);
        callers.join();
        EXPECT_EQ(sync::count_timers().armed, 0U);
    });
}

TEST(timers, wake_in_the_order_of_their_deadlines) {
    runtime_scope runtime(1);
    sync::mutex m;
    std::vector<int> order;
    crowd callers;
    const std::int64_t base_time = in_ms(200);  // all of them sleep by then
    for (const int i : {3, 1, 4, 0, 2}) {
        callers.ult(
            [&, i] {
                sync::sleep_until(base_time + i * 10 * millisecond);
                const std::lock_guard hold(m);
                order.push_back(i);
            },
            technique::full, sched::this_stream()->pinned());
    }
    callers.join();
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
}

// While all sleep, the process uses no processor: neither the streams nor the timer thread poll.
TEST(timers, do_not_poll) {
    runtime_scope runtime(2);
    sync::sleep_for(5 * millisecond);
    const auto cpu_ns = [] {
        timespec used{};
        ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
        return std::int64_t{used.tv_sec} * 1'000'000'000 + used.tv_nsec;
    };
    const std::uint64_t wakeups = sync::count_timers().wakeups;
    const std::int64_t before = cpu_ns();
    crowd callers;
    callers.ults(8, [](int) { sync::sleep_for(200 * millisecond); });
    callers.join();
    EXPECT_LT(cpu_ns() - before, 100 * millisecond);
    // One for the first deadline, and few for those that are a little later or were nearer than
    // those before.
    EXPECT_LE(sync::count_timers().wakeups - wakeups, 20U);
}

TEST(timers, a_cancelled_timer_does_not_fire) {
    runtime_scope runtime(1);
    sync::mutex m;
    const std::uint64_t fired = sync::count_timers().fired;
    crowd callers;
    m.lock();
    callers.ult([&] {
        EXPECT_EQ(m.lock_until(in_ms(100'000)), base::status::ok);
        m.unlock();
    });
    core::yield();
    sync::sleep_for(millisecond);
    EXPECT_EQ(sync::count_timers().armed, 1U);
    m.unlock();
    callers.join();
    EXPECT_EQ(sync::count_timers().armed, 0U);
    EXPECT_LE(sync::count_timers().fired - fired, 1U);
}

TEST(timers, a_past_deadline_is_a_yield) {
    runtime_scope runtime(1);
    EXPECT_EQ(sync::sleep_until(0), base::status::ok);
    EXPECT_EQ(sync::sleep_for(-5), base::status::ok);
    EXPECT_EQ(sync::deadline_after(-1), sync::no_deadline);
    EXPECT_GT(sync::deadline_after(std::numeric_limits<std::int64_t>::max()), os::now_ns());
}

TEST(timers, tasklets_cannot_sleep) {
    runtime_scope runtime(1);
    base::status outcome = base::status::ok;
    crowd callers;
    callers.ult([&] { outcome = sync::sleep_for(millisecond); }, technique::run_to_completion);
    callers.join();
    EXPECT_EQ(outcome, base::status::cannot_suspend);
}

TEST(timers, survive_the_runtime) {
    for (int i = 0; i < 5; ++i) {
        runtime_scope runtime(2);
        crowd callers;
        callers.ults(6, [](int k) { sync::sleep_for((k + 1) * 100'000); });
        callers.join();
        EXPECT_TRUE(sync::count_timers().running);
    }
}

TEST(timers, a_cancelled_sleeper_unwinds_when_it_wakes) {
    runtime_scope runtime(1);
    bool went_on = false;
    crowd callers;
    core::work_unit* u = callers.ult(
        [&] {
            sync::sleep_for(10 * millisecond);
            went_on = true;
        },
        technique::full, sched::this_stream()->pinned());
    core::yield();
    core::cancel(*u);
    callers.join();
    EXPECT_FALSE(went_on);
}

TEST(timers, thousands) {
    on_one_and_two_streams([] {
        std::atomic<int> woken{0};
        crowd callers;
        callers.ults(3000, [&](int i) {
            sync::sleep_for(i * 7919 % 5000 * 1000);
            woken.fetch_add(1);
        });
        callers.join();
        EXPECT_EQ(woken.load(), 3000);
    });
}

TEST(timers, that_were_never_armed_are_not_stopped) {
    const auto count_and_exit = [] { std::exit(sync::count_timers().fired == 0 ? 0 : 1); };
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(count_and_exit(), ::testing::ExitedWithCode(0), "");
}

// Its pool is gone when its time comes.
TEST(timers, leave_a_sleeper_alone_after_its_streams_have_gone) {
    const auto leave_a_sleeper = [] {
        sched::start_runtime();
        core::worker& w = core::this_worker();
        core::work_unit* u = core::prepare(
            w, sched::default_pool(&w), [](void*) { sync::sleep_for(50 * millisecond); }, nullptr,
            core::unit_attributes(technique::full));
        core::detach(u);
        core::launch_open(w, u);
        core::yield();
        sched::stop_runtime(false);
        const bool was_armed = sync::count_timers().armed == 1;
        sync::sleep_for(200 * millisecond);
        std::exit(was_armed && sync::count_timers().armed == 0 ? 0 : 1);
    };
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(leave_a_sleeper(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace lazult::testing
