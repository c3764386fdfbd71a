// SPDX-License-Identifier: BSD-3-Clause
// Units that run others as a scheduler would.
#include "lazult/core/switch/nested.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cfenv>
#include <exception>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/support/runtime.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;
using sched::private_fifo;
using sched::shared_fifo;

// Runs what the pool holds until `stop` says so. How often it ran something.
template <class Stop>
int run_all(core::pool& pool, Stop&& stop) {
    int runs = 0;
    while (!stop()) {
        worker& w = core::this_worker();
        if (work_unit* u = pool.pop(w); u != nullptr) {
            core::run_nested(w, u);
            ++runs;
        } else {
            core::yield();
        }
    }
    return runs;
}
template <class Stop>
void run_until(core::pool& pool, Stop&& stop) {
    run_all(pool, std::forward<Stop>(stop));
}

class nested : public testing::TestWithParam<technique> {};

TEST_P(nested, a_unit_runs_others_step_by_step) {
    const runtime running;
    for (const technique caller : suspending_techniques) {
        private_fifo pool;
        std::atomic<int> ended{0};
        std::vector<unit> units;
        for (int i = 0; i < 8; ++i) {
            units.push_back(spawn(pool, GetParam(), [&] {
                core::yield();
                suspend_for_a_moment();
                ended.fetch_add(1);
            }));
        }
        int runs = 0;
        unit u = spawn(pinned(), caller, [&] {
            runs = run_all(pool, [&] { return ended.load() == 8; });
            EXPECT_EQ(core::this_worker().here, &sched::this_stream()->main_scheduler());
            suspend_for_a_moment();
        });
        EXPECT_EQ(u.join(), status::ok);
        EXPECT_EQ(runs, 24);
        for (unit& each : units) {
            EXPECT_EQ(each.join(), status::ok);
        }
    }
}

// Its caller goes on at once when it blocks, and it is resumed by others elsewhere too.
TEST_P(nested, what_blocks_above_one_unit_may_go_on_above_another) {
    const runtime running(2);
    shared_fifo pool;
    std::atomic<int> ended{0};
    std::vector<unit> units;
    for (int i = 0; i < 40; ++i) {
        units.push_back(spawn(pool, GetParam(), [&, i] {
            unit child = spawn(pool, GetParam(), [i] {
                if (i % 2 == 0) {
                    suspend_for_a_moment();
                }
            });
            core::yield();
            EXPECT_EQ(child.join(), status::ok);
            ended.fetch_add(1);
        }));
    }
    const auto all_ended = [&] { return ended.load() == 40; };
    unit here = spawn(pinned(), technique::adaptive, [&] { run_until(pool, all_ended); });
    unit there =
        spawn(*sched::stream_at(1)->pinned(), technique::full, [&] { run_until(pool, all_ended); });
    EXPECT_EQ(here.join(), status::ok);
    EXPECT_EQ(there.join(), status::ok);
    for (unit& each : units) {
        EXPECT_EQ(each.join(), status::ok);
    }
}

TEST_P(nested, deeply) {
    const runtime running;
    private_fifo pools[4];
    std::atomic<int> ended{0};
    std::function<void(int)> descend = [&](int depth) {
        if (depth == 4) {
            ended.fetch_add(1);
            return;
        }
        const int before = ended.load();
        unit a = spawn(pools[depth], GetParam(), [&, depth] {
            core::yield();
            descend(depth + 1);
        });
        unit b = spawn(pools[depth], GetParam(), [&, depth] { descend(depth + 1); });
        run_until(pools[depth],
                  [&] { return a.get()->join.is_finished() && b.get()->join.is_finished(); });
        EXPECT_GT(ended.load(), before);
    };
    unit u = spawn(pinned(), technique::adaptive, [&] { descend(0); });
    EXPECT_EQ(u.join(), status::ok);
    EXPECT_EQ(ended.load(), 16);
}

INSTANTIATE_TEST_SUITE_P(all, nested, testing::ValuesIn(suspending_techniques),
                         [](const auto& param) { return support::name_of(param.param); });

TEST(nested_caller, may_be_the_primary_or_a_tasklet_and_may_run_tasklets) {
    const runtime running;
    private_fifo pool;
    std::atomic<int> ran{0};
    unit first = spawn(pool, technique::run_to_completion, [&] { ran.fetch_add(1); });
    unit second = spawn(pool, technique::adaptive, [&] {
        core::yield();
        ran.fetch_add(1);
    });
    run_until(pool, [&] { return ran.load() == 2; });
    unit third = spawn(pool, technique::run_to_completion, [&] { ran.fetch_add(1); });
    unit caller = spawn(pinned(), technique::run_to_completion,
                        [&] { run_until(pool, [&] { return ran.load() == 3; }); });
    EXPECT_EQ(caller.join(), status::ok);
}

TEST(nested_caller, keeps_what_is_its_own) {
    const runtime running;
    private_fifo pool;
    unit u = spawn(pool, technique::adaptive, [] {
        errno = 5;
        EXPECT_EQ(std::fegetround(), FE_TONEAREST);
        EXPECT_EQ(std::current_exception(), nullptr);
        try {
            throw 1;
        } catch (int) {
            core::yield();
        }
        EXPECT_EQ(errno, 5);
    });
    unit caller = spawn(pinned(), technique::adaptive, [&] {
        std::fesetround(FE_UPWARD);
        errno = 7;
        try {
            throw std::runtime_error("in flight");
        } catch (const std::runtime_error& e) {
            run_until(pool, [&] { return u.get()->join.is_finished(); });
            EXPECT_STREQ(e.what(), "in flight");
            EXPECT_NE(std::current_exception(), nullptr);
        }
        EXPECT_EQ(errno, 7);
        EXPECT_EQ(std::fegetround(), FE_UPWARD);
        std::fesetround(FE_TONEAREST);
    });
    EXPECT_EQ(caller.join(), status::ok);
}

TEST(nested_caller, may_be_cancelled_units_host) {
    const runtime running;
    private_fifo pool;
    unit u(pool, core::unit_attributes(technique::adaptive), [] { ADD_FAILURE() << "it ran"; });
    core::cancel(*u.get());
    u.launch();
    run_until(pool, [&] { return u.get()->join.is_finished(); });
}

TEST(nested_caller, may_be_a_thread_outside_the_streams) {
    const runtime running;
    shared_fifo pool;
    std::vector<unit> units;
    std::atomic<int> ended{0};
    for (const technique how : all_techniques) {
        units.push_back(spawn(pool, how, [&, how] {
            if (how != technique::run_to_completion) {
                core::yield();
                suspend_for_a_moment();
            }
            ended.fetch_add(1);
        }));
    }
    std::thread([&] {
        errno = 7;
        worker& w = core::this_worker();
        while (ended.load() != 7) {
            if (work_unit* u = pool.pop(w); u != nullptr) {
                core::run_nested(w, u);
                EXPECT_EQ(w.here, nullptr);
                EXPECT_EQ(w.current, nullptr);
            }
        }
        EXPECT_EQ(errno, 7);
    }).join();
    for (unit& u : units) {
        EXPECT_EQ(u.join(), status::ok);
    }
}

}  // namespace
