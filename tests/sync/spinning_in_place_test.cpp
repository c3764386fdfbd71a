// SPDX-License-Identifier: BSD-3-Clause
// Units that wait where they are because their stream has nothing else to do.
#include "lazult/sync/sync.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "lazult/sync/spinning_in_place.hpp"
#include "tests/support/runtime.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;
using sched::stream;

stream* stream_over(sched::ready_pool& pool) {
    auto scheduler = sched::make_scheduler(base::scheduler_kind::basic);
    EXPECT_EQ(scheduler->add_pool(pool), status::ok);
    stream* started = nullptr;
    EXPECT_EQ(stream::start(std::move(scheduler), &started), status::ok);
    return started;
}

void end(stream* s) {
    std::thread([s] { EXPECT_EQ(stream::join(s), status::ok); }).join();
}

base::settings patient() {
    base::settings s = settings_for(1);
    s.idle_spin = 1'000'000'000;
    return s;
}

bool has_two_processors() { return os::count_allowed_processors() >= 2; }

// The waiter spins for 200 ms at most, and a busy machine may take longer: so there are several
// attempts.
TEST(spinning_in_place, does_not_suspend_when_it_is_woken_soon) {
    if (!has_two_processors()) {
        GTEST_SKIP() << "on one processor nobody could wake it meanwhile";
    }
    const runtime running(patient());
    sched::shared_fifo pool;
    stream* other = stream_over(pool);
    bool stayed = false;
    for (int attempt = 0; attempt < 20 && !stayed; ++attempt) {
        sync::eventual event;
        std::uint64_t before = 0;
        std::uint64_t after = 1;
        unit waiter = spawn(pool, technique::adaptive, [&] {
            const worker& w = core::this_worker();
            before = w.count.suspensions.get();
            event.wait();
            after = w.count.suspensions.get();
        });
        while (event.waiters().empty()) {
            std::this_thread::yield();
        }
        EXPECT_EQ(event.set(), status::ok);
        waiter.join();
        stayed = before == after;
    }
    EXPECT_TRUE(stayed);
    end(other);
}

TEST(spinning_in_place, gives_way_to_a_unit_that_becomes_ready_here) {
    const runtime running(patient());
    sched::shared_fifo pool;
    stream* other = stream_over(pool);
    for (int i = 0; i < 50; ++i) {
        sync::eventual event;
        std::atomic<bool> is_here{false};
        unit waiter = spawn(pool, technique::adaptive, [&] {
            is_here = true;
            event.wait();
        });
        while (!is_here.load()) {
            std::this_thread::yield();
        }
        unit setter = spawn(pool, technique::adaptive, [&] { EXPECT_EQ(event.set(), status::ok); });
        waiter.join();
        setter.join();
    }
    end(other);
}

// With and without time to spin, and at its end: nobody is lost between spinning and suspending.
TEST(spinning_in_place, takes_turns_with_another_stream) {
    for (const std::int64_t spin : {std::int64_t{0}, std::int64_t{1'000}, std::int64_t{50'000}}) {
        base::settings s = settings_for(1);
        s.idle_spin = spin;
        const runtime running(s);
        sched::biased_fifo here;
        sched::biased_fifo there;
        stream* one = stream_over(here);
        stream* two = stream_over(there);
        constexpr int rounds = 3000;
        sync::eventual calls[2];
        int value = 0;
        const auto play = [&](int me) {
            for (int i = 0; i < rounds; ++i) {
                if (me == 0) {
                    ++value;
                    EXPECT_EQ(calls[0].set(), status::ok);
                }
                calls[1 - me].wait();
                calls[1 - me].reset();
                if (me == 1) {
                    EXPECT_EQ(++value, 2 * i + 2);
                    EXPECT_EQ(calls[1].set(), status::ok);
                }
            }
        };
        unit first = spawn(here, technique::adaptive, [&] { play(0); });
        unit second = spawn(there, technique::adaptive, [&] { play(1); });
        first.join();
        second.join();
        EXPECT_EQ(value, 2 * rounds);
        end(one);
        end(two);
    }
}

TEST(spinning_in_place, is_not_for_a_stream_without_company) {
    const runtime running(patient());
    std::atomic<bool> said{true};
    unit alone = spawn(default_pool(), technique::adaptive,
                       [&] { said = sync::may_spin_in_place(*core::this_worker().current); });
    alone.join();
    EXPECT_FALSE(said.load());
}

// A waiter that is asked to end does not spin on. It is woken as ever, and unwinds then.
TEST(spinning_in_place, ends_when_the_unit_is_asked_for_something) {
    if (!has_two_processors()) {
        GTEST_SKIP() << "on one processor nobody spins";
    }
    const runtime running(patient());
    sched::shared_fifo pool;
    stream* other = stream_over(pool);
    for (int round = 0; round < 30; ++round) {
        sync::eventual event;
        bool went_on = false;
        unit waiter = spawn(pool, technique::lazy_stack, [&] {
            event.wait();
            went_on = true;
        });
        while (event.waiters().empty()) {
            std::this_thread::yield();
        }
        EXPECT_EQ(core::cancel(*waiter.get()), status::ok);
        if (round % 3 == 0) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        EXPECT_EQ(event.set(), status::ok);
        EXPECT_EQ(waiter.join(), status::ok);
        EXPECT_TRUE(core::was_canceled(*waiter.get()));
        EXPECT_FALSE(went_on);
    }
    end(other);
}

TEST(spinning_in_place, is_not_for_waiters_that_do_not_spin) {
    base::settings hasty = settings_for(1);
    hasty.idle_spin = 0;
    const runtime running(hasty);
    sched::shared_fifo pool;
    stream* other = stream_over(pool);
    sync::eventual event;
    std::uint64_t suspensions = 0;
    unit waiter = spawn(pool, technique::lazy_stack, [&] {
        const worker& w = core::this_worker();
        const std::uint64_t before = w.count.suspensions.get();
        event.wait();
        suspensions = w.count.suspensions.get() - before;
    });
    while (event.waiters().empty()) {
        std::this_thread::yield();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(event.set(), status::ok);
    EXPECT_EQ(waiter.join(), status::ok);
    EXPECT_GE(suspensions, 1U);
    end(other);
}

}  // namespace
