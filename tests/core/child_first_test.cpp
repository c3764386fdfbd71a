// SPDX-License-Identifier: BSD-3-Clause
// Child-first creation: the child runs at once, the parent is next in line, or is stolen.
#include <gtest/gtest.h>

#include <thread>

#include "tests/support/runtime.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;

unit child_first(core::pool& home, technique how, std::function<void()> body) {
    unit u(home, core::unit_attributes(how), std::move(body));
    u.launch_child_first();
    return u;
}

TEST(child_first, the_child_runs_before_the_parent_continues) {
    const runtime running;
    for (const technique how : suspending_techniques) {
        event_log<std::string> log;
        unit parent = spawn(pinned(), technique::lazy_stack, [&] {
            log.add("before");
            unit child = child_first(pinned(), how, [&] { log.add("child"); });
            log.add("after");
            child.join();
        });
        unit other = spawn(pinned(), technique::lazy_stack, [&] { log.add("other"); });
        parent.join();
        other.join();
        EXPECT_EQ(log.all(), (std::vector<std::string>{"before", "child", "after", "other"}))
            << support::name_of(how);
    }
}

TEST(child_first, a_child_that_suspends_lets_the_parent_go_on) {
    const runtime running;
    for (const technique how : suspending_techniques) {
        event_log<std::string> log;
        unit parent = spawn(pinned(), technique::lazy_stack, [&] {
            unit child = child_first(pinned(), how, [&] {
                log.add("child 1");
                suspend_for_a_moment();
                log.add("child 2");
            });
            log.add("parent");
            child.join();
        });
        parent.join();
        EXPECT_EQ(log.all(), (std::vector<std::string>{"child 1", "parent", "child 2"}))
            << support::name_of(how);
    }
}

TEST(child_first, falls_back_to_parent_first_where_the_caller_cannot_suspend) {
    const runtime running(2);  // the outside thread blocks the primary stream
    std::atomic<int> ran{0};
    unit tasklet = spawn(pinned(), technique::run_to_completion, [&] {
        unit child(pinned(), core::unit_attributes(technique::full), [&] { ran.fetch_add(1); });
        child.launch_child_first();
        EXPECT_EQ(ran.load(), 0);
        EXPECT_EQ(child.detach(), status::ok);
    });
    tasklet.join();
    while (ran.load() == 0) {
        core::yield();
    }
    std::thread([&] {
        unit child =
            child_first(default_pool(), technique::return_on_completion, [&] { ran.fetch_add(1); });
        child.join();
    }).join();
    EXPECT_EQ(ran.load(), 2);
}

// fib by work-first: each level leaves its parent for thieves.
int fib(core::pool& home, technique how, int n) {
    if (n < 2) {
        return n;
    }
    int one = 0;
    unit child = child_first(home, how, [&] { one = fib(home, how, n - 1); });
    const int two = fib(home, how, n - 2);
    child.join();
    return one + two;
}

TEST(child_first, recursion_with_and_without_thieves) {
    for (const unsigned streams : {1U, 2U, 4U}) {
        const runtime running(streams);
        for (const technique how : suspending_techniques) {
            EXPECT_EQ(fib(default_pool(), how, 12), 144) << support::name_of(how) << " " << streams;
            if (streams == 1) {
                EXPECT_EQ(fib(pinned(), how, 12), 144) << support::name_of(how);
            }
            int result = 0;
            unit u =
                spawn(default_pool(), how, [&, how] { result = fib(default_pool(), how, 12); });
            u.join();
            EXPECT_EQ(result, 144) << support::name_of(how);
        }
    }
}

// A parent that is stolen runs, ends and is freed while its child has not given control up; the
// child then makes units of its own, one of them in the parent's old descriptor. It must not take
// that one for its parent.
TEST(child_first, a_stolen_parent_that_ended_is_not_returned_to) {
    const runtime running(2);
    static std::atomic<int> parents_ended, children_ended, grandchildren;
    parents_ended = children_ended = grandchildren = 0;
    constexpr int count = 300;
    struct local {
        static void grandchild(void*) { grandchildren.fetch_add(1); }
        static void child(void*) {
            const int seen = parents_ended.load();
            // As long as a thief may need, without giving control up.
            for (int i = 0; i < 20'000 && parents_ended.load() == seen; ++i) {
                arch::pause();
            }
            for (int i = 0; i < 3; ++i) {
                worker& w = core::this_worker();
                work_unit* u = core::prepare(w, default_pool(), grandchild, nullptr,
                                             core::unit_attributes(technique::lazy_stack));
                core::detach(u);
                core::launch(w, u);
            }
            children_ended.fetch_add(1);
        }
        static void parent(void*) {
            work_unit* u = core::prepare(core::this_worker(), default_pool(), child, nullptr,
                                         core::unit_attributes(technique::return_on_completion));
            core::detach(u);
            core::launch_child_first(u);
            parents_ended.fetch_add(1);
        }
    };
    for (int i = 0; i < count; ++i) {
        worker& w = core::this_worker();
        work_unit* u = core::prepare(w, default_pool(), local::parent, nullptr,
                                     core::unit_attributes(technique::lazy_stack));
        core::detach(u);
        core::launch(w, u);
        if (i % 4 == 0) {
            core::yield();
        }
    }
    while (parents_ended.load() != count || children_ended.load() != count ||
           grandchildren.load() != 3 * count) {
        core::yield();
    }
}

// In a pool that several streams pop, the parent may come back there after it ran elsewhere.
TEST(child_first, a_parent_that_came_back_to_a_shared_pool_is_not_returned_to) {
    sched::shared_fifo shared;
    const runtime running(2);
    sched::for_each_stream(
        [](sched::stream& s, void* p) {
            unit u = spawn(*s.pinned(), technique::full, [&s, p] {
                EXPECT_EQ(s.main_scheduler().add_pool(*static_cast<sched::shared_fifo*>(p)),
                          status::ok);
            });
            u.join();
        },
        &shared);
    std::atomic<int> parents{0};
    std::atomic<int> children{0};
    std::vector<unit> units;
    constexpr int count = 200;
    for (int i = 0; i < count; ++i) {
        units.push_back(spawn(shared, technique::lazy_stack, [&] {
            const auto goes_on = std::make_shared<std::atomic<bool>>(false);
            unit child = child_first(shared, technique::return_on_completion, [&children, goes_on] {
                for (int k = 0; k < 20'000 && !goes_on->load(); ++k) {
                    arch::pause();
                }
                children.fetch_add(1);
            });
            *goes_on = true;
            for (int k = 0; k < 4; ++k) {
                suspend_for_a_moment();
            }
            child.join();
            parents.fetch_add(1);
        }));
    }
    for (unit& u : units) {
        u.join();
    }
    EXPECT_EQ(parents.load(), count);
    EXPECT_EQ(children.load(), count);
}

}  // namespace
