// SPDX-License-Identifier: BSD-3-Clause
// The life of the runtime, and machines that hwloc makes up.
#include "lazult/sched/runtime.hpp"

#include <gtest/gtest.h>

#include <sched.h>

#include <cstdlib>
#include <thread>
#include <vector>

#include "tests/support/runtime.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;

TEST(runtime, starts_and_stops_again_and_again) {
    for (int i = 0; i < 30; ++i) {
        const runtime running(static_cast<unsigned>(i % 4 + 1));
        EXPECT_TRUE(sched::runtime_is_running());
        EXPECT_EQ(sched::stream_count(), i % 4 + 1);
        std::atomic<int> ran{0};
        unit u = spawn(default_pool(), technique::adaptive, [&] { ran = 1; });
        u.join();
        EXPECT_EQ(ran.load(), 1);
    }
}

TEST(runtime, counts_its_starts) {
    const runtime running;
    EXPECT_EQ(sched::start_runtime(), status::ok);
    EXPECT_EQ(sched::stop_runtime(false), status::ok);
    EXPECT_TRUE(sched::runtime_is_running());
}

TEST(runtime, that_does_not_run_is_not_stopped) {
    EXPECT_EQ(sched::stop_runtime(false), status::shutting_down);
}

TEST(runtime, freezes_its_settings) {
    const runtime running;
    EXPECT_EQ(base::override_settings(settings_for(3)), status::busy);
}

// Pools that one run leaves behind are another one's, whichever threads are in it.
TEST(runtime, is_started_by_different_threads_in_turn) {
    for (int i = 0; i < 6; ++i) {
        const auto use = [i] {
            const runtime running(static_cast<unsigned>(i % 3 + 1));
            std::vector<unit> units;
            std::atomic<int> ran{0};
            for (int k = 0; k < 50; ++k) {
                units.push_back(
                    spawn(default_pool(), technique::adaptive, [&] { ran.fetch_add(1); }));
            }
            for (unit& u : units) {
                u.join();
            }
            EXPECT_EQ(ran.load(), 50);
        };
        if (i % 2 == 0) {
            use();
        } else {
            std::thread(use).join();
        }
    }
}

TEST(runtime, started_from_another_thread_leaves_that_thread_outside) {
    std::thread([] {
        const runtime running(2);
        EXPECT_EQ(sched::this_stream(), nullptr);
        EXPECT_EQ(sched::primary_stream(), nullptr);
        EXPECT_EQ(sched::stream_count(), 2);
        std::atomic<int> ran{0};
        std::vector<unit> units;
        for (int i = 0; i < 100; ++i) {
            units.push_back(spawn(default_pool(), technique::adaptive, [&] { ran.fetch_add(1); }));
        }
        for (unit& u : units) {
            u.join();
        }
        EXPECT_EQ(ran.load(), 100);
    }).join();
}

std::atomic<int> late_runs{0};

TEST(runtime, a_stop_that_drains_runs_what_is_ready) {
    late_runs = 0;
    {
        const runtime running(2);
        for (int i = 0; i < 200; ++i) {
            worker& w = core::this_worker();
            work_unit* u = core::prepare(
                w, default_pool(), [](void*) { late_runs.fetch_add(1); }, nullptr,
                core::unit_attributes(technique::adaptive));
            core::detach(u);
            core::launch(w, u);
        }
    }
    EXPECT_EQ(late_runs.load(), 200);
}

// "Units that have not run by then never will."
TEST(runtime, what_a_stop_left_behind_does_not_run_later) {
    late_runs = 0;
    ASSERT_EQ(base::override_settings(settings_for(1)), status::ok);
    ASSERT_EQ(sched::start_runtime(), status::ok);
    for (int i = 0; i < 20; ++i) {
        worker& w = core::this_worker();
        work_unit* u = core::prepare(
            w, default_pool(), [](void*) { late_runs.fetch_add(1); }, nullptr,
            core::unit_attributes(technique::adaptive));
        core::detach(u);
        core::launch(w, u);
    }
    ASSERT_EQ(sched::stop_runtime(false), status::ok);
    EXPECT_EQ(late_runs.load(), 0);
    {
        const runtime running(2);
        for (int i = 0; i < 50; ++i) {
            unit u = spawn(default_pool(), technique::adaptive, [] { suspend_for_a_moment(); });
            u.join();
        }
    }
    EXPECT_EQ(late_runs.load(), 0);
}

TEST(runtime, default_pools_are_the_callers_or_those_of_the_streams_in_turn) {
    const runtime running(3);
    EXPECT_EQ(&sched::default_pool(core::this_worker_or_null()),
              &sched::this_stream()->default_pool());
    std::thread([] {
        std::vector<core::pool*> seen;
        for (int i = 0; i < 4; ++i) {
            seen.push_back(&sched::default_pool(nullptr));
        }
        EXPECT_NE(seen[0], seen[1]);
        EXPECT_EQ(seen[0], seen[2]);
        EXPECT_EQ(seen[1], seen[3]);
        for (core::pool* p : seen) {
            EXPECT_NE(p, &sched::primary_stream()->default_pool());
        }
    }).join();
}

TEST(runtime, every_scheduler_kind_runs_everything) {
    for (const base::scheduler_kind which :
         {base::scheduler_kind::basic, base::scheduler_kind::priority,
          base::scheduler_kind::work_stealing, base::scheduler_kind::waiting}) {
        for (const unsigned streams : {1U, 3U}) {
            base::settings s = settings_for(streams);
            s.scheduler = which;
            const runtime running(s);
            std::atomic<int> ran{0};
            std::vector<unit> units;
            for (int i = 0; i < 300; ++i) {
                units.push_back(
                    spawn(default_pool(), all_techniques[static_cast<std::size_t>(i) % 7], [&, i] {
                        if (all_techniques[static_cast<std::size_t>(i) % 7] !=
                            technique::run_to_completion) {
                            suspend_for_a_moment();
                        }
                        ran.fetch_add(1);
                    }));
            }
            for (unit& u : units) {
                u.join();
            }
            EXPECT_EQ(ran.load(), 300) << base::name(which);
        }
    }
}

// hwloc reads its environment when the machine is first asked for: each of these is a process of
// its own.
void run_on(const char* machine, int processors) {
    ::setenv("HWLOC_SYNTHETIC", machine, 1);
    EXPECT_EQ(topo::machine().processors(), processors);
    {
        const runtime running(static_cast<unsigned>(processors));
        std::atomic<int> ran{0};
        std::vector<unit> units;
        for (int i = 0; i < 500; ++i) {
            units.push_back(spawn(default_pool(), technique::adaptive, [&] {
                core::yield();
                ran.fetch_add(1);
            }));
        }
        for (unit& u : units) {
            u.join();
        }
        EXPECT_EQ(ran.load(), 500);
        for (int rank = 0; rank < processors; ++rank) {
            EXPECT_EQ(sched::stream_at(rank)->processor(), rank);
        }
    }
    std::_Exit(testing::Test::HasFailure() ? 1 : 0);
}

TEST(synthetic_machine_death, streams_follow_its_shape) {
    if (LAZULT_HAVE_HWLOC == 0) {
        GTEST_SKIP() << "this build has no hwloc";
    }
    const auto before = testing::GTEST_FLAG(death_test_style);
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_EXIT(run_on("package:2 l3:1 core:2 pu:1", 4), testing::ExitedWithCode(0), "");
    EXPECT_EXIT(run_on("package:2 core:4 pu:2", 16), testing::ExitedWithCode(0), "");
    EXPECT_EXIT(run_on("core:1 pu:1", 1), testing::ExitedWithCode(0), "");
    testing::GTEST_FLAG(death_test_style) = before;
}

// --- where units go, and which threads may not ask

TEST(runtime_death, has_no_pool_before_it_starts) {
    EXPECT_DEATH(sched::default_pool(core::this_worker_or_null()),
                 "lazult: work unit: no execution stream of the runtime has a pool for it; start "
                 "the runtime before");
}

// A user's own stream has no part in what others create.
TEST(runtime, gives_units_of_outside_threads_to_its_own_streams) {
    const runtime running(2);
    sched::private_fifo pool;
    auto main = sched::make_scheduler(base::scheduler_kind::basic);
    ASSERT_EQ(main->add_pool(pool), status::ok);
    sched::stream* users = nullptr;
    ASSERT_EQ(sched::stream::start(std::move(main), &users), status::ok);
    std::thread([&] {
        for (int i = 0; i < 10; ++i) {
            EXPECT_EQ(&default_pool(), sched::stream_at(1)->stealing());
        }
    }).join();
    unit u = spawn(pool, technique::lazy_stack, [&] { EXPECT_EQ(&default_pool(), &pool); });
    EXPECT_EQ(u.join(), status::ok);
    EXPECT_EQ(sched::stream::join(users), status::ok);
}

TEST(runtime, a_stream_may_have_no_pools_at_all) {
    const runtime running(2);
    sched::stream* users = nullptr;
    ASSERT_EQ(sched::stream::start(sched::make_scheduler(base::scheduler_kind::waiting), &users),
              status::ok);
    EXPECT_EQ(users->default_pool_or_null(), nullptr);
    EXPECT_EQ(sched::stream::join(users), status::ok);
    // A stream does not start if its only pool is another stream's.
    auto busy = sched::make_scheduler(base::scheduler_kind::basic);
    ASSERT_EQ(busy->add_pool(*sched::stream_at(1)->pinned()), status::ok);
    EXPECT_EQ(sched::stream::start(std::move(busy), &users), status::busy);
    EXPECT_EQ(sched::stream_count(), 2);
}

// Ranks are given again, so the list's order is not theirs.
TEST(runtime, ends_streams_whatever_the_order_of_their_ranks) {
    const runtime running(2);
    std::vector<sched::stream*> more(3);
    for (sched::stream*& s : more) {
        ASSERT_EQ(sched::stream::start_default(&s), status::ok);
    }
    EXPECT_EQ(sched::stream::join(more[0]), status::ok);
    EXPECT_EQ(sched::stream::join(more[1]), status::ok);
    ASSERT_EQ(sched::stream::start_default(&more[0]), status::ok);
    EXPECT_EQ(more[0]->rank(), 2);
    EXPECT_EQ(more[2]->rank(), 4);
}

// Without work stealing nobody looks into the pools that a stream left: what becomes ready there
// goes to another stream.
TEST(runtime, units_that_a_stream_left_wake_up_on_another_one) {
    for (const base::scheduler_kind kind :
         {base::scheduler_kind::basic, base::scheduler_kind::work_stealing}) {
        base::settings chosen = settings_for(2);
        chosen.scheduler = kind;
        const runtime running(chosen);
        sched::stream* third = nullptr;
        ASSERT_EQ(sched::stream::start_default(&third), status::ok);
        for (core::pool* const home : {static_cast<core::pool*>(third->pinned()),
                                       static_cast<core::pool*>(third->stealing())}) {
            std::atomic<bool> waits{false};
            unit u = spawn(*home, technique::lazy_stack, [&] {
                waits = true;
                core::park();
                EXPECT_NE(sched::this_stream(), nullptr);
            });
            while (!waits.load()) {
                core::yield();
            }
            if (home == third->stealing()) {
                EXPECT_EQ(sched::stream::stop(third), status::ok);
            }
            core::unpark(u.get());
            EXPECT_EQ(u.join(), status::ok);
        }
    }
}

// --- where streams run

int processors_of_this_thread() {
    cpu_set_t set;
    return ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

// Of the last stream's thread.
int processors_of_the_last(base::bind_kind how, unsigned streams) {
    base::settings chosen = settings_for(streams);
    chosen.bind = how;
    const runtime running(chosen);
    int count = 0;
    unit u = spawn(*sched::stream_at(static_cast<int>(streams) - 1)->pinned(),
                   technique::lazy_stack, [&] { count = processors_of_this_thread(); });
    EXPECT_EQ(u.join(), status::ok);
    return count;
}

TEST(runtime, binds_threads_where_that_is_asked_for_or_each_has_a_processor) {
    const int all = processors_of_this_thread();
    const auto processors = static_cast<unsigned>(topo::machine().processors());
    EXPECT_EQ(processors_of_the_last(base::bind_kind::on, processors + 1), 1);
    EXPECT_EQ(processors_of_the_last(base::bind_kind::off, 2), all);
    EXPECT_EQ(processors_of_the_last(base::bind_kind::automatic, processors + 1), all);
    if (processors > 1) {
        EXPECT_EQ(processors_of_the_last(base::bind_kind::automatic, processors), 1);
    }
}

// --- the end of the process

// Exits, while the runtime of first use is there, in a process of its own.
template <class Body>
void expect_exit(Body body) {
    const auto run = [&body] {
        sched::ensure_runtime();
        sched::ensure_runtime();
        body();
        std::exit(3);
    };
    EXPECT_EXIT(run(), testing::ExitedWithCode(3), "");
}

TEST(process_exit, ends_the_streams_that_have_nothing_to_do) {
    expect_exit([] {});
}

TEST(process_exit, does_not_wait_for_a_stream_that_is_busy) {
    if (probe::tsan) {
        GTEST_SKIP() << "a thread that has ended and that nobody joins is a leak to it, and this "
                        "exit waits for no thread";
    }
    expect_exit([] {
        static std::atomic<bool> runs{false};
        sched::stream* other = nullptr;
        EXPECT_EQ(sched::stream::start_default(&other), status::ok);
        unit hog = spawn(*other->pinned(), technique::lazy_stack, [] {
            runs = true;
            for (;;) {
            }
        });
        hog.detach();
        while (!runs.load()) {
        }
    });
}

TEST(process_exit, by_a_unit_leaves_everything_to_the_system) {
    expect_exit([] {
        unit u = spawn(pinned(), technique::lazy_stack, [] { std::exit(3); });
        u.join();
    });
}

TEST(process_exit, by_an_outside_thread_leaves_everything_to_the_system) {
    expect_exit([] { std::thread([] { std::exit(3); }).join(); });
}

TEST(process_exit, leaves_a_runtime_that_somebody_else_uses_too) {
    expect_exit([] { EXPECT_EQ(sched::start_runtime(), status::ok); });
}

TEST(process_exit, after_the_runtime_was_stopped) {
    expect_exit([] { EXPECT_EQ(sched::stop_runtime(true), status::ok); });
}

// What is suspended, or waits to go on, cannot be unwound from outside: it stays, and what has not
// started does not run.
TEST(process_exit, leaves_units_as_they_are) {
    expect_exit([] {
        static std::atomic<int> ran{0};
        for (int i = 0; i < 10; ++i) {
            unit u = spawn(default_pool(), technique::lazy_stack, [] {
                ran.fetch_add(1);
                core::yield();
                ran.fetch_add(100);
                for (;;) {
                    core::yield();
                }
            });
            u.detach();
        }
        core::yield();
    });
}

// A suspension of the exiting thread would start them.
TEST(process_exit, starts_no_unit) {
    expect_exit([] {
        static std::atomic<bool> leaves{false};
        static const std::thread::id leaver = std::this_thread::get_id();
        sched::stream* other = nullptr;
        EXPECT_EQ(sched::stream::start_default(&other), status::ok);
        for (int i = 0; i < 10'000; ++i) {
            unit u = spawn(default_pool(), technique::lazy_stack, [] {
                if (leaves.load() && std::this_thread::get_id() == leaver) {
                    std::_Exit(4);
                }
            });
            u.detach();
        }
        leaves = true;
    });
}

}  // namespace
