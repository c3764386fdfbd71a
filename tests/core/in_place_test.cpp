// SPDX-License-Identifier: BSD-3-Clause
// Joiners that run their children themselves, nested, suspended, moved.
#include <gtest/gtest.h>

#include <cerrno>
#include <cfenv>
#include <stdexcept>
#include <thread>

#include "tests/support/own_errno.hpp"
#include "tests/support/runtime.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;

// A binary tree with nodes that use all techniques and suspend by a pattern. run() returns the
// number of its nodes.
struct tree {
    core::pool* home;
    unsigned pattern;
    // joins the newest child first, which is the one that a stack-like pool would pop next
    bool reverse;

    int run(int depth, unsigned seed) const {
        if ((seed ^ pattern) % 5 == 0) {
            suspend_for_a_moment();
        }
        if (depth == 0) {
            return 1;
        }
        int sums[2] = {0, 0};
        {
            std::vector<unit> children;
            for (unsigned i = 0; i < 2; ++i) {
                const unsigned mine = seed * 7 + i * 3 + 1;
                const technique how =
                    suspending_techniques[(mine + pattern) % std::size(suspending_techniques)];
                children.push_back(spawn(*home, how, [this, &sum = sums[i], depth, mine] {
                    sum = run(depth - 1, mine);
                }));
            }
            if (seed % 3 == 0) {
                core::yield();
            }
            if (reverse) {
                std::swap(children[0], children[1]);
            }
            for (unit& child : children) {
                EXPECT_EQ(child.join(), status::ok);
            }
        }
        if ((seed + pattern) % 7 == 0) {
            suspend_for_a_moment();
        }
        return sums[0] + sums[1] + 1;
    }
};

class in_place_test : public testing::TestWithParam<std::tuple<unsigned, bool, bool>> {};

TEST_P(in_place_test, trees_of_joins_add_up) {
    const auto [streams, stealing, reverse] = GetParam();
    const runtime running(streams);
    for (unsigned pattern = 0; pattern < 12; ++pattern) {
        const tree t{stealing ? &default_pool() : &pinned(), pattern, reverse};
        EXPECT_EQ(t.run(8, pattern), 511);
        // And from a ULT on a small stack, where not everything fits in place.
        int sum = 0;
        unit u = spawn(*t.home, technique::lazy_stack, [&] { sum = t.run(8, pattern + 1); });
        EXPECT_EQ(u.join(), status::ok);
        EXPECT_EQ(sum, 511);
    }
}

INSTANTIATE_TEST_SUITE_P(all, in_place_test,
                         testing::Combine(testing::Values(1U, 2U, 4U), testing::Bool(),
                                          testing::Bool()));

// Each level joins one child in place; the innermost suspends, so that the whole chain is promoted
// at once.
int chain(core::pool& home, technique how, int depth, int suspensions) {
    if (depth == 0) {
        for (int i = 0; i < suspensions; ++i) {
            suspend_for_a_moment();
        }
        return 0;
    }
    int below = -1;
    unit child = spawn(home, how, [&] { below = chain(home, how, depth - 1, suspensions); });
    EXPECT_EQ(child.join(), status::ok);
    return below + 1;
}

TEST(in_place, long_chains_suspend_at_the_innermost_level) {
    const runtime running;
    for (const technique how : suspending_techniques) {
        for (const int suspensions : {0, 1, 5}) {
            EXPECT_EQ(chain(pinned(), how, 50, suspensions), 50) << support::name_of(how);
            unit u =
                spawn(pinned(), how, [&] { EXPECT_EQ(chain(pinned(), how, 50, suspensions), 50); });
            EXPECT_EQ(u.join(), status::ok);
        }
    }
}

// Several chains at once, so that each one's pieces are resumed between those of others.
TEST(in_place, chains_interleave) {
    const runtime running;
    std::vector<unit> chains;
    for (int i = 0; i < 60; ++i) {
        const technique how =
            suspending_techniques[static_cast<std::size_t>(i) % std::size(suspending_techniques)];
        const technique inner = suspending_techniques[static_cast<std::size_t>(i / 6) %
                                                      std::size(suspending_techniques)];
        chains.push_back(spawn(pinned(), how, [inner, i] {
            EXPECT_EQ(chain(pinned(), inner, i % 9 + 1, i % 4), i % 9 + 1);
        }));
    }
    for (unit& u : chains) {
        EXPECT_EQ(u.join(), status::ok);
    }
}

[[gnu::noinline]] int deep(core::pool& home, technique how, int depth) {
    volatile char frame[512] = {};
    frame[0] = 1;
    if (depth == 0) {
        return frame[0] - 1;
    }
    int below = 0;
    unit child = spawn(home, how, [&] { below = deep(home, how, depth - 1); });
    EXPECT_EQ(child.join(), status::ok);
    return below + frame[0];
}

// Far more levels than any stack holds: from some level on a child gets a stack of its own.
TEST(in_place, recursion_goes_deeper_than_a_stack) {
    base::settings s = settings_for(1);
    s.stack_size = std::size_t{32} << 10;
    s.scheduler_stack_size = std::size_t{64} << 10;
    const runtime running(s);
    for (const technique how :
         {technique::scheduler_creation, technique::adaptive, technique::stack_separation,
          technique::return_on_completion, technique::lazy_stack, technique::full}) {
        unit u = spawn(pinned(), how, [how] { EXPECT_EQ(deep(pinned(), how, 500), 500); });
        EXPECT_EQ(u.join(), status::ok);
    }
}

TEST(in_place, a_child_leaves_the_joiners_errno_alone) {
    const runtime running;
    for (const technique how : all_techniques) {
        unit u = spawn(pinned(), how, [] { errno = 44; });
        errno = 33;  // creating one may set it
        EXPECT_EQ(u.join(), status::ok);
        EXPECT_EQ(errno, 33) << support::name_of(how);
    }
}

TEST(in_place, joiner_and_child_have_rounding_modes_of_their_own) {
    const runtime running;
    for (const technique how : all_techniques) {
        for (const bool first : {false, true}) {
            std::fesetround(FE_UPWARD);
            int seen = -1;
            unit u(pinned(), core::unit_attributes(how), [&] {
                seen = std::fegetround();
                std::fesetround(FE_DOWNWARD);
            });
            first ? u.launch_child_first() : u.launch();
            EXPECT_EQ(u.join(), status::ok);
            EXPECT_EQ(std::fegetround(), FE_UPWARD) << support::name_of(how) << first;
            std::fesetround(FE_TONEAREST);
            EXPECT_EQ(seen, FE_TONEAREST) << support::name_of(how) << first;
        }
    }
}

TEST(in_place, a_child_does_not_see_the_joiners_exception) {
    const runtime running;
    for (const technique how : all_techniques) {
        for (const bool first : {false, true}) {
            try {
                throw std::runtime_error("joiner's");
            } catch (const std::runtime_error& e) {
                bool clean = false;
                unit u(pinned(), core::unit_attributes(how),
                       [&] { clean = std::current_exception() == nullptr; });
                first ? u.launch_child_first() : u.launch();
                EXPECT_EQ(u.join(), status::ok);
                EXPECT_TRUE(clean) << support::name_of(how);
                EXPECT_STREQ(e.what(), "joiner's");
                EXPECT_NE(std::current_exception(), nullptr);
            }
        }
    }
}

TEST(in_place, a_child_that_exits_or_is_cancelled_does_not_take_its_joiner_along) {
    const runtime running;
    for (const technique how : suspending_techniques) {
        int passed = 0;
        unit outer = spawn(pinned(), how, [&] {
            unit exits = spawn(pinned(), how, [] { core::exit_running(); });
            EXPECT_EQ(exits.join(), status::ok);
            ++passed;
            unit canceled = spawn(pinned(), how, [] {
                core::cancel(*core::current_unit());
                suspend_for_a_moment();
                ADD_FAILURE();
            });
            EXPECT_EQ(canceled.join(), status::ok);
            EXPECT_TRUE(core::was_canceled(*canceled.get()));
            ++passed;
        });
        EXPECT_EQ(outer.join(), status::ok);
        EXPECT_EQ(passed, 2);
    }
}

// A unit that ran on its joiner's stack owns no stack afterwards: neither its release nor its
// revival may touch it.
TEST(in_place, a_unit_forgets_the_stack_that_it_borrowed) {
    const runtime running;
    int moved = 0;
    for (const technique how : suspending_techniques) {
        for (int i = 0; i < 100; ++i) {
            unit u(pinned(), core::unit_attributes(how), [] {});
            core::on_migration(
                *u.get(), [](work_unit*, void* count) { ++*static_cast<int*>(count); }, &moved);
            u.launch();
            EXPECT_EQ(u.join(), status::ok);
            EXPECT_EQ(u.get()->stk, nullptr);
            bool ran = false;
            EXPECT_EQ(u.revive(pinned(),
                               [&] {
                                   suspend_for_a_moment();
                                   ran = true;
                               }),
                      status::ok);
            EXPECT_EQ(u.join(), status::ok);
            EXPECT_TRUE(ran);
        }
    }
    EXPECT_EQ(moved, 0);
}

// The same on a host's stack, and with a technique that adaptive changes between the two lives.
TEST(in_place, revival_takes_a_stack_of_its_own_when_the_plan_changes) {
    const runtime running;
    std::vector<unit> units;
    for (int i = 0; i < 300; ++i) {
        units.push_back(spawn(pinned(), technique::adaptive, [] {}));
    }
    for (unit& u : units) {
        u.join();
    }
    for (int round = 0; round < 4; ++round) {
        std::atomic<int> ran{0};
        for (unit& u : units) {
            EXPECT_EQ(u.revive(pinned(),
                               [&] {
                                   suspend_for_a_moment();
                                   ran.fetch_add(1);
                               }),
                      status::ok);
        }
        for (unit& u : units) {
            EXPECT_EQ(u.join(), status::ok);
        }
        EXPECT_EQ(ran.load(), 300);
    }
}

TEST(in_place, the_joiner_finds_its_own_errno_whatever_its_child_does) {
    const runtime running;
    for (const technique joiner : suspending_techniques) {
        for (const technique how : all_techniques) {
            for (const bool suspends : {false, true}) {
                int found = 0;
                unit outer = spawn(pinned(), joiner, [&] {
                    unit child = spawn(pinned(), how, [&] {
                        set_errno(42);
                        if (suspends && how != technique::run_to_completion) {
                            suspend_for_a_moment();
                        }
                        set_errno(43);
                    });
                    set_errno(41);
                    child.join();
                    found = get_errno();
                });
                EXPECT_EQ(outer.join(), status::ok);
                EXPECT_EQ(found, 41) << name_of(joiner) << ", " << name_of(how) << ", " << suspends;
            }
        }
    }
}

// Between its joiner's look and its joiner's taking it another stream may have run a child until it
// suspended.
TEST(in_place, a_child_that_has_started_meanwhile_is_not_called_again) {
    const runtime running;
    for (const technique how : suspending_techniques) {
        int starts = 0;
        unit child = spawn(pinned(), how, [&] {
            ++starts;
            suspend_for_a_moment();
        });
        core::yield();
        ASSERT_EQ(starts, 1);
        ASSERT_NE(child.get()->state(), core::life_state::finished);
        EXPECT_FALSE(core::start_in_place(core::this_worker(), child.get()));
        EXPECT_EQ(child.join(), status::ok);
        EXPECT_EQ(starts, 1) << name_of(how);
    }
}

TEST(in_place, the_primary_stays_on_its_thread_whatever_its_children_do) {
    const runtime running(3);
    const auto me = std::this_thread::get_id();
    sched::stream* const mine = sched::this_stream();
    for (int i = 0; i < 300; ++i) {
        const technique how =
            suspending_techniques[static_cast<std::size_t>(i) % std::size(suspending_techniques)];
        std::vector<unit> children;
        for (int j = 0; j < 4; ++j) {
            children.push_back(spawn(default_pool(), how, [j] {
                for (int k = 0; k < j; ++k) {
                    suspend_for_a_moment();
                }
            }));
        }
        for (unit& u : children) {
            EXPECT_EQ(u.join(), status::ok);
            ASSERT_EQ(std::this_thread::get_id(), me);
            ASSERT_EQ(sched::this_stream(), mine);
        }
    }
}

}  // namespace
