// SPDX-License-Identifier: BSD-3-Clause
// Execution streams: coming, going, sleeping, waking.
#include "lazult/sched/stream.hpp"

#include <gtest/gtest.h>

#include <sys/resource.h>

#include <set>
#include <thread>

#include "tests/support/runtime.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;
using sched::stream;

double cpu_seconds() {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

void sleep_ms(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

stream* start_default() {
    stream* s = nullptr;
    EXPECT_EQ(stream::start_default(&s), status::ok);
    return s;
}

TEST(stream, comes_and_goes_a_thousand_times) {
    const runtime running;
    std::atomic<int> ran{0};
    for (int i = 0; i < 1000; ++i) {
        stream* s = start_default();
        ASSERT_NE(s, nullptr);
        EXPECT_EQ(sched::stream_count(), 2);
        unit u = spawn(
            i % 2 == 0 ? static_cast<core::pool&>(*s->pinned()) : s->default_pool(),
            suspending_techniques[static_cast<std::size_t>(i) % std::size(suspending_techniques)],
            [&] {
                if (ran.fetch_add(1) % 3 == 0) {
                    suspend_for_a_moment();
                }
            });
        if (i % 5 == 0) {
            EXPECT_EQ(u.join(), status::ok);
        }
        EXPECT_EQ(stream::join(s), status::ok);
        EXPECT_EQ(u.join(), status::ok);
    }
    EXPECT_EQ(ran.load(), 1000);
}

// What a new stream pushes to its own pool. No other stream can run it: all are busy but one.
void expect_help_of_others(stream& fresh) {
    std::atomic<bool> was_helped{false};
    unit busy = spawn(*fresh.pinned(), technique::full, [&] {
        unit child = spawn(default_pool(), technique::full, [&] { was_helped = true; });
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
        while (!was_helped && std::chrono::steady_clock::now() < end) {
            std::this_thread::yield();
        }
        EXPECT_TRUE(was_helped) << "a stream idled while there was work in the pool of a newer one";
        EXPECT_EQ(child.join(), status::ok);
    });
    EXPECT_EQ(stream::join(&fresh), status::ok);
    EXPECT_EQ(busy.join(), status::ok);
}

TEST(stream, that_sleeps_learns_of_work_in_a_newer_ones_pool) {
    const runtime running;
    stream* sleeper = start_default();
    sleep_ms(50);
    for (int round = 0; round < 20; ++round) {
        std::thread([] { expect_help_of_others(*start_default()); }).join();
        sleep_ms(round % 3);
    }
    EXPECT_EQ(stream::join(sleeper), status::ok);
}

// As above, of a stream that looks for work all the time: nobody wakes it, and it may not fall
// asleep over that work.
TEST(stream, that_idles_learns_of_work_in_a_newer_ones_pool) {
    base::settings spinning = settings_for(1);
    spinning.idle_spin = 100'000'000;
    const runtime running(spinning);
    stream* idler = start_default();
    for (int round = 0; round < 5; ++round) {
        std::atomic<bool> is_awake{false};
        unit wakes = spawn(*idler->pinned(), technique::full, [&] { is_awake = true; });
        while (!is_awake) {
        }
        std::this_thread::sleep_for(std::chrono::microseconds(200));  // it begins to look
        std::thread([] { expect_help_of_others(*start_default()); }).join();
        EXPECT_EQ(wakes.join(), status::ok);
    }
    EXPECT_EQ(stream::join(idler), status::ok);
}

TEST(stream, many_at_once_come_and_go_while_others_idle) {
    const runtime running(2);
    for (int round = 0; round < 40; ++round) {
        std::vector<stream*> some;
        for (int i = 0; i < 8; ++i) {
            some.push_back(start_default());
        }
        std::atomic<int> done{0};
        std::vector<unit> units;
        for (int i = 0; i < 64; ++i) {
            units.push_back(spawn(some[static_cast<std::size_t>(i) % some.size()]->default_pool(),
                                  technique::adaptive, [&] {
                                      suspend_for_a_moment();
                                      done.fetch_add(1);
                                  }));
        }
        for (stream* s : some) {
            EXPECT_EQ(stream::join(s), status::ok);
        }
        for (unit& u : units) {
            u.join();
        }
        EXPECT_EQ(done.load(), 64);
    }
}

TEST(stream, ranks_are_unique_also_when_created_at_once) {
    const runtime running;
    for (int round = 0; round < 20; ++round) {
        std::vector<stream*> made(8, nullptr);
        std::vector<std::thread> threads;
        for (auto& s : made) {
            threads.emplace_back([&s] { s = start_default(); });
        }
        for (std::thread& t : threads) {
            t.join();
        }
        std::set<int> ranks{0};
        for (stream* s : made) {
            EXPECT_TRUE(ranks.insert(s->rank()).second) << s->rank();
            EXPECT_EQ(sched::stream_at(s->rank()), s);
        }
        EXPECT_EQ(*ranks.rbegin(), 8);
        for (stream* s : made) {
            EXPECT_EQ(stream::join(s), status::ok);
        }
    }
}

TEST(stream, knows_itself) {
    const runtime running(2);
    stream* const mine = sched::this_stream();
    ASSERT_NE(mine, nullptr);
    EXPECT_TRUE(mine->is_primary());
    EXPECT_EQ(mine, sched::primary_stream());
    EXPECT_EQ(mine->its_worker(), core::this_worker_or_null());
    std::thread([] { EXPECT_EQ(sched::this_stream(), nullptr); }).join();
    stream* const other = sched::stream_at(1);
    ASSERT_NE(other, nullptr);
    EXPECT_EQ(other->state(), sched::stream_state::running);
    unit u = spawn(*other->pinned(), technique::adaptive,
                   [other] { EXPECT_EQ(sched::this_stream(), other); });
    u.join();
    EXPECT_EQ(sched::stream_at(99), nullptr);
}

TEST(stream, neither_the_primary_nor_oneself_is_joined) {
    const runtime running(2);
    EXPECT_EQ(stream::join(sched::primary_stream()), status::not_supported);
    stream* const other = sched::stream_at(1);
    unit u = spawn(*other->pinned(), technique::run_to_completion,
                   [other] { EXPECT_EQ(stream::join(other), status::would_deadlock); });
    u.join();
    EXPECT_EQ(stream::release(other), status::not_supported);
    stream* adopted = nullptr;
    EXPECT_EQ(stream::adopt(&adopted), status::busy);
}

// A unit of its own, even of its private pool, goes on elsewhere.
TEST(stream, is_joined_by_a_unit_that_runs_there) {
    const runtime running(2);
    stream* const s = start_default();
    stream* after = nullptr;
    unit u = spawn(*s->pinned(), technique::lazy_stack, [&] {
        EXPECT_EQ(sched::this_stream(), s);
        EXPECT_EQ(stream::join(s), status::ok);
        after = sched::this_stream();
        core::yield();
    });
    u.join();
    EXPECT_NE(after, nullptr);
    EXPECT_NE(after, s);
}

TEST(stream, join_runs_what_is_ready_first) {
    const runtime running;
    stream* s = start_default();
    std::atomic<int> ran{0};
    std::vector<unit> units;
    for (int i = 0; i < 500; ++i) {
        units.push_back(spawn(*s->pinned(), technique::adaptive, [&] {
            core::yield();
            ran.fetch_add(1);
        }));
    }
    EXPECT_EQ(stream::join(s), status::ok);
    EXPECT_EQ(ran.load(), 500);
}

// A unit at home in the pool of a stream that has gone, and a stream that is never idle: it must
// look there all the same. Also with an event period so short that each yield passes through the
// scheduler's loop.
class busy_stream : public testing::TestWithParam<unsigned> {};

TEST_P(busy_stream, finds_what_a_gone_one_left) {
    base::settings settings = settings_for(1);
    settings.event_period = GetParam();
    const runtime running(settings);
    stream* s = start_default();
    core::pool& left = s->default_pool();
    EXPECT_EQ(stream::join(s), status::ok);
    std::atomic<bool> ran{false};
    unit u = spawn(left, technique::lazy_stack, [&] { ran = true; });
    const std::int64_t deadline = os::now_ns() + std::int64_t{20} * 1'000'000'000;
    while (!ran.load() && os::now_ns() < deadline) {
        core::yield();
    }
    EXPECT_TRUE(ran.load());
}

INSTANTIATE_TEST_SUITE_P(periods, busy_stream, testing::Values(1U, 2U, 3U, 64U));

// A neighbour never runs out of small units that could be stolen: a stream that shall end leaves
// them alone.
TEST(stream, join_does_not_wait_for_the_work_of_others) {
    static std::atomic<int> outstanding;
    outstanding = 0;
    std::atomic<bool> stop{false};
    const runtime running(2);
    unit producer = spawn(*sched::stream_at(1)->pinned(), technique::lazy_stack, [&] {
        while (!stop.load()) {
            for (worker& w = core::this_worker(); outstanding.load() < 1000;
                 outstanding.fetch_add(1)) {
                work_unit* u = core::prepare(
                    w, default_pool(),
                    [](void*) {
                        for (int i = 0; i < 500; ++i) {
                            arch::pause();
                        }
                        outstanding.fetch_sub(1);
                    },
                    nullptr, core::unit_attributes(technique::adaptive));
                core::detach(u);
                core::launch(w, u);
            }
            core::yield();
        }
    });
    std::thread([] {
        for (int i = 0; i < 10; ++i) {
            stream* s = start_default();
            sleep_ms(2);
            EXPECT_EQ(stream::join(s), status::ok);
        }
    }).join();
    stop = true;
    producer.join();
}

// The ended stream's units wait for one of the caller's stream.
TEST(stream, joined_by_a_ult_while_its_own_stream_goes_on) {
    const runtime running;
    stream* s = start_default();
    std::atomic<bool> go{false};
    unit waits = spawn(*s->pinned(), technique::adaptive, [&] {
        while (!go.load()) {
            core::yield();
        }
    });
    unit goes = spawn(pinned(), technique::adaptive, [&] { go = true; });
    EXPECT_EQ(stream::join(s), status::ok);
    waits.join();
    goes.join();
}

double cpu_seconds_of_this_thread() {
    timespec used{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

// The unit that the ending stream runs blocks its OS thread for a while.
TEST(stream, its_joiner_uses_no_processor_time) {
    const runtime running;
    stream* s = start_default();
    constexpr int busy_ms = 300;
    std::atomic<bool> began{false};
    unit blocks = spawn(*s->pinned(), core::technique::full, [&] {
        began.store(true);
        sleep_ms(busy_ms);
    });
    while (!began.load()) {
        sleep_ms(1);
    }
    const double before = cpu_seconds_of_this_thread();
    EXPECT_EQ(stream::join(s), status::ok);
    EXPECT_LT(cpu_seconds_of_this_thread() - before, 0.02);
    EXPECT_EQ(blocks.join(), status::ok);
}

TEST(stream, descriptors_and_stacks_outlive_the_stream_that_carved_them) {
    const runtime running(2);
    for (int round = 0; round < 50; ++round) {
        std::vector<unit> units;
        std::atomic<bool> go{false};
        stream* s = start_default();
        unit maker = spawn(*s->pinned(), technique::full, [&] {
            for (int i = 0; i < 20; ++i) {
                units.push_back(spawn(*sched::stream_at(1)->pinned(), technique::full, [&] {
                    while (!go.load()) {
                        core::yield();
                    }
                }));
            }
        });
        maker.join();
        EXPECT_EQ(stream::join(s), status::ok);
        go = true;
        for (unit& u : units) {
            u.join();
        }
    }
}

// A suspended unit is resumed elsewhere after its stream has gone, even if its stack is that of the
// stream's scheduler (SC).
TEST(stream, suspended_units_go_on_elsewhere_when_their_stream_has_gone) {
    const runtime running(2);
    for (const technique how : suspending_techniques) {
        for (int round = 0; round < 20; ++round) {
            stream* s = start_default();
            std::atomic<bool> parked{false};
            unit u = spawn(*s->pinned(), how, [&] {
                core::migrate(*core::current_unit(), *sched::stream_at(1)->pinned());
                probe::release(&parked);
                core::suspend(
                    [](void* flag) {
                        probe::acquire(flag);  // on another stack
                        static_cast<std::atomic<bool>*>(flag)->store(true);
                    },
                    &parked);
                EXPECT_EQ(sched::this_stream(), sched::stream_at(1));
            });
            while (!parked.load()) {
                core::yield();
            }
            EXPECT_EQ(stream::join(s), status::ok);
            u.get()->home = sched::stream_at(1)->pinned();
            core::make_ready(core::this_worker_or_null(), u.get());
            EXPECT_EQ(u.join(), status::ok);
        }
    }
}

// --- idling

TEST(idle, streams_without_work_use_no_processor_time) {
    const runtime running(4);
    sleep_ms(50);
    const double before = cpu_seconds();
    sleep_ms(500);
    // Four spinning streams would use all processors: at least 0.5 s.
    EXPECT_LT(cpu_seconds() - before, 0.1);
}

TEST(idle, streams_sleep_also_when_another_one_is_busy) {
    const runtime running(4);
    std::atomic<bool> stop{false};
    unit busy = spawn(*sched::stream_at(1)->pinned(), technique::adaptive, [&] {
        while (!stop.load()) {
            ::usleep(1000);
            core::yield();
        }
    });
    sleep_ms(50);
    const double before = cpu_seconds();
    sleep_ms(500);
    EXPECT_LT(cpu_seconds() - before, 0.15);
    stop = true;
    busy.join();
}

TEST(idle, a_sleeping_stream_wakes_for_work_in_any_of_its_pools) {
    base::settings s = settings_for(2);
    s.idle_spin = 0;
    const runtime running(s);
    stream* const other = sched::stream_at(1);
    sched::shared_fifo shared;
    sched::priority_pool urgent;
    unit adder = spawn(*other->pinned(), technique::full, [&] {
        EXPECT_EQ(other->main_scheduler().add_pool(shared), status::ok);
        EXPECT_EQ(other->main_scheduler().add_pool(urgent), status::ok);
    });
    adder.join();
    std::thread outside([&] {
        for (int i = 0; i < 400; ++i) {
            core::pool* const pools[] = {other->pinned(), &other->default_pool(), &shared, &urgent};
            if (i % 10 == 0) {
                sleep_ms(1);
            }
            unit u = spawn(*pools[i % 4], technique::adaptive, [] {});
            EXPECT_EQ(u.join(), status::ok);
        }
    });
    outside.join();
    // The pools go before the runtime: nothing may be left in them.
    EXPECT_EQ(shared.size() + urgent.size(), 0U);
    EXPECT_EQ(stream::join(other), status::ok);
}

// Units are moved between shared pools' consumers that all sleep at once.
TEST(idle, no_wake_up_is_lost_in_a_shared_pool) {
    base::settings s = settings_for(3);
    s.idle_spin = 0;
    sched::shared_fifo shared;
    const runtime running(s);
    for (int rank = 1; rank < 3; ++rank) {
        stream* const other = sched::stream_at(rank);
        unit adder = spawn(*other->pinned(), technique::full, [&, other] {
            EXPECT_EQ(other->main_scheduler().add_pool(shared), status::ok);
        });
        adder.join();
    }
    std::vector<std::thread> threads;
    for (int t = 0; t < 2; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < 3000; ++i) {
                unit outer = spawn(shared, technique::lazy_stack, [&] {
                    // Joins look for a unit that is not started in the pool, and put back what they
                    // find instead.
                    unit inner = spawn(shared, technique::adaptive, [] {});
                    inner.join();
                });
                EXPECT_EQ(outer.join(), status::ok);
            }
        });
    }
    for (std::thread& t : threads) {
        t.join();
    }
}

TEST(oversubscription, eight_streams_share_two_processors) {
    const runtime running(8);
    std::atomic<int> sum{0};
    std::vector<unit> units;
    for (int i = 0; i < 2000; ++i) {
        units.push_back(spawn(
            default_pool(), suspending_techniques[static_cast<std::size_t>(i) % 6], [&sum, i] {
                unit child =
                    spawn(default_pool(),
                          suspending_techniques[static_cast<std::size_t>(i / 6) % 6], [&sum] {
                              core::yield();
                              sum.fetch_add(1);
                          });
                child.join();
                sum.fetch_add(1);
            }));
    }
    for (unit& u : units) {
        u.join();
    }
    EXPECT_EQ(sum.load(), 4000);
}

TEST(oversubscription, work_is_stolen) {
    const runtime running(4);
    const std::uint64_t before = count_all([](const core::counters& c) { return c.steals.get(); });
    event_log<int> ranks;
    std::vector<unit> units;
    for (int i = 0; i < 400; ++i) {
        units.push_back(spawn(default_pool(), technique::adaptive, [&] {
            ::usleep(200);
            ranks.add(sched::this_stream()->rank());
        }));
    }
    for (unit& u : units) {
        u.join();
    }
    const auto all = ranks.all();
    EXPECT_GE(std::set<int>(all.begin(), all.end()).size(), 2U);
    EXPECT_GT(count_all([](const core::counters& c) { return c.steals.get(); }), before);
}

}  // namespace
