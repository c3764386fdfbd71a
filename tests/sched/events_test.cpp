// SPDX-License-Identifier: BSD-3-Clause
// Callbacks that streams poll: by busy and idle ones, always or while events are expected.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "lazult/sched/sched.hpp"
#include "tests/support/runtime.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;

int count_poll(void* polled) {
    static_cast<std::atomic<int>*>(polled)->fetch_add(1);
    return 0;
}

TEST(events, are_polled_by_busy_and_by_idle_streams) {
    const runtime running(2);
    std::atomic<int> polled{0};
    const std::uint64_t id = sched::add_event_callback(count_poll, &polled);
    ASSERT_NE(id, 0U);
    EXPECT_TRUE(sched::has_event_callbacks());
    // Nobody does anything: idle streams wake for it.
    const int before = polled.load();
    while (polled.load() < before + 5) {
        std::this_thread::yield();
    }
    // A stream with pools that are never empty.
    unit one = spawn(pinned(), technique::adaptive, [&] {
        const int start = polled.load();
        while (polled.load() < start + 5) {
            core::yield();
        }
    });
    unit two = spawn(pinned(), technique::adaptive, [&] {
        const int start = polled.load();
        while (polled.load() < start + 5) {
            core::yield();
        }
    });
    one.join();
    two.join();
    sched::remove_event_callback(id);
    const int at_removal = polled.load();
    for (int i = 0; i < 1000; ++i) {
        core::yield();
        sched::poll_events();
    }
    EXPECT_EQ(polled.load(), at_removal);
    EXPECT_FALSE(sched::has_event_callbacks());
}

// Each turn is an end that goes on with its joiner, and a hand-over to a named unit: no pool is
// asked for the next unit.
TEST(events, are_polled_while_a_unit_creates_and_joins_for_ever) {
    const runtime running;
    std::atomic<int> polled{0};
    const std::uint64_t id = sched::add_event_callback(count_poll, &polled);
    work_unit* const self = core::current_unit();
    std::atomic<bool> over{false};
    sched::shared_fifo room;  // no stream looks there
    unit partner = spawn(room, technique::lazy_stack, [&] {
        while (!over) {
            core::yield_to(self);
        }
    });
    const auto go_to_partner = [&room] { core::switch_to(room.pop(core::this_worker())); };
    go_to_partner();
    const int start = polled.load();
    for (int i = 0; i < 100'000 && polled.load() < start + 5; ++i) {
        unit child = spawn(pinned(), technique::lazy_stack, [] {});
        EXPECT_EQ(child.join(), status::ok);
        go_to_partner();
    }
    EXPECT_GE(polled.load(), start + 5);
    over = true;
    go_to_partner();
    EXPECT_EQ(partner.join(), status::ok);
    sched::remove_event_callback(id);
}

TEST(events, wake_units_that_wait_for_them) {
    const runtime running(2);
    struct completion_queue {
        std::atomic<work_unit*> waiting{nullptr};
        std::atomic<int> completions{0};
    } queue;
    const std::uint64_t id = sched::add_event_callback(
        [](void* q) {
            auto& all = *static_cast<completion_queue*>(q);
            work_unit* u = all.waiting.exchange(nullptr);
            if (u == nullptr) {
                return 0;
            }
            all.completions.fetch_add(1);
            core::unpark(u);
            return 1;
        },
        &queue);
    for (const technique how : suspending_techniques) {
        unit u = spawn(default_pool(), how, [&] {
            for (int i = 0; i < 20; ++i) {
                queue.waiting = core::current_unit();
                core::park();
            }
        });
        EXPECT_EQ(u.join(), status::ok);
    }
    sched::remove_event_callback(id);
    EXPECT_EQ(queue.completions.load(), 120);
}

// What is awaited at times costs nothing at others: idle streams sleep.
TEST(events, are_polled_by_idle_streams_while_they_are_expected) {
    const runtime running(2);
    std::atomic<int> polled{0};
    const std::uint64_t id =
        sched::add_event_callback(count_poll, &polled, sched::awaited::when_expected);
    ASSERT_NE(id, 0U);
    EXPECT_TRUE(sched::has_event_callbacks());
    EXPECT_FALSE(sched::awaits_events());
    sched::expect_events(+1);
    EXPECT_TRUE(sched::awaits_events());
    work_unit* const me = core::current_unit();
    std::thread waker([&] {
        while (polled.load() < 5) {
            std::this_thread::yield();
        }
        core::unpark(me);
    });
    core::park();  // its stream idles, and looks
    waker.join();
    sched::expect_events(-1);
    EXPECT_FALSE(sched::awaits_events());
    sched::remove_event_callback(id);
}

// The thread that expects events computes on and does not poll. So the sleeping stream must be
// woken for it.
TEST(events, are_polled_by_a_stream_that_slept_before_they_were_expected) {
    const runtime running(2);
    std::atomic<int> polled{0};
    const std::uint64_t id =
        sched::add_event_callback(count_poll, &polled, sched::awaited::when_expected);
    for (int round = 0; round < 3; ++round) {
        // the other stream sleeps by now
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        const int before = polled.load();
        sched::expect_events(+1);
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (polled.load() < before + 3 && std::chrono::steady_clock::now() < end) {
        }
        EXPECT_GE(polled.load(), before + 3);
        sched::expect_events(-1);
    }
    sched::remove_event_callback(id);
}

// The stream that expects events polls for them first. Then it has something to run, while another
// stream sleeps and does not know of the events.
TEST(events, are_polled_by_a_sleeping_stream_when_the_one_that_looked_has_work) {
    const runtime running(2);
    std::atomic<int> polled{0};
    const std::uint64_t id =
        sched::add_event_callback(count_poll, &polled, sched::awaited::when_expected);
    work_unit* const me = core::current_unit();
    for (int round = 0; round < 3; ++round) {
        // the other stream sleeps by now
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        std::thread waker([&] {
            // ours naps between its polls
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            core::make_ready(nullptr, me);
        });
        core::suspend([](void*) { sched::expect_events(+1); }, nullptr);
        const int before = polled.load();
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        while (polled.load() < before + 3 && std::chrono::steady_clock::now() < end) {
        }
        EXPECT_GE(polled.load(), before + 3);
        sched::expect_events(-1);
        waker.join();
    }
    sched::remove_event_callback(id);
}

// One that takes its time does not keep others from being polled, and is not removed under its
// feet.
TEST(events, run_beside_each_other) {
    const runtime running(2);
    struct slow_callback {
        std::atomic<bool> is_in{false};
        std::atomic<bool> may_leave{false};
        std::atomic<bool> is_removed{false};
    } slow;
    std::atomic<int> polled{0};
    const std::uint64_t first = sched::add_event_callback(
        [](void* s) {
            auto& its = *static_cast<slow_callback*>(s);
            its.is_in = true;
            while (!its.may_leave) {
                std::this_thread::yield();
            }
            EXPECT_FALSE(its.is_removed);
            return 0;
        },
        &slow, sched::awaited::when_expected);
    const std::uint64_t second =
        sched::add_event_callback(count_poll, &polled, sched::awaited::when_expected);
    std::thread inside([] { sched::poll_events(); });
    while (!slow.is_in) {
        std::this_thread::yield();
    }
    sched::poll_events();
    EXPECT_GE(polled.load(), 1);
    std::thread remover([&] {
        sched::remove_event_callback(first);
        slow.is_removed = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    slow.may_leave = true;
    inside.join();
    remover.join();
    sched::remove_event_callback(second);
    EXPECT_FALSE(sched::has_event_callbacks());
}

TEST(events, a_callback_may_remove_itself) {
    const runtime running(1);
    struct once {
        std::uint64_t id = 0;
        int calls = 0;
    } mine;
    int others = 0;
    mine.id = sched::add_event_callback(
        [](void* o) {
            once& self = *static_cast<once*>(o);
            sched::remove_event_callback(self.id);
            return ++self.calls;
        },
        &mine, sched::awaited::when_expected);
    const std::uint64_t other = sched::add_event_callback(
        [](void* n) { return ++*static_cast<int*>(n); }, &others, sched::awaited::when_expected);
    sched::poll_events();
    sched::poll_events();
    EXPECT_EQ(mine.calls, 1);
    EXPECT_GE(others, 2);
    sched::remove_event_callback(other);
    EXPECT_FALSE(sched::has_event_callbacks());
}

TEST(events, come_and_go_while_they_are_polled) {
    const runtime running(3);
    std::atomic<int> calls{0};
    for (int i = 0; i < 200; ++i) {
        const std::uint64_t a = sched::add_event_callback(count_poll, &calls);
        const std::uint64_t b = sched::add_event_callback(count_poll, &calls);
        EXPECT_NE(a, b);
        core::yield();
        sched::remove_event_callback(a);
        sched::poll_events();
        sched::remove_event_callback(b);
    }
    EXPECT_FALSE(sched::has_event_callbacks());
}

TEST(events, what_is_not_there_is_not_removed) {
    const std::uint64_t id = sched::add_event_callback([](void*) { return 0; }, nullptr);
    sched::remove_event_callback(id + 1);
    EXPECT_TRUE(sched::has_event_callbacks());
    sched::remove_event_callback(id);
    sched::remove_event_callback(id);
    EXPECT_FALSE(sched::has_event_callbacks());
}

// The end of an expectation may be counted before its beginning.
TEST(events, are_expected_by_anybody_in_any_order) {
    const runtime running(2);
    sched::expect_events(-1);
    EXPECT_FALSE(sched::awaits_events());
    sched::expect_events(+1);
    EXPECT_FALSE(sched::awaits_events());
    std::thread([] { sched::expect_events(+1); }).join();
    EXPECT_TRUE(sched::awaits_events());
    std::thread([] {
        core::this_worker();
        sched::expect_events(+1);
        sched::expect_events(-2);
        EXPECT_FALSE(sched::awaits_events());
        sched::expect_events(+1);
    }).join();
    EXPECT_TRUE(sched::awaits_events());
    sched::expect_events(-1);
}

}  // namespace
