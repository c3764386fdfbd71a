// SPDX-License-Identifier: BSD-3-Clause
// Cancelling, exiting and migrating.
#include "lazult/core/switch/requests.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <thread>

#include "tests/support/runtime.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;

std::vector<sched::stream*> streams() {
    std::vector<sched::stream*> all;
    sched::for_each_stream(
        [](sched::stream& s, void* v) {
            static_cast<std::vector<sched::stream*>*>(v)->push_back(&s);
        },
        &all);
    return all;
}

TEST(migration, moves_a_ult_to_another_stream_at_its_next_scheduling_point) {
    const runtime running(3);
    const std::vector<sched::stream*> all = streams();
    ASSERT_EQ(all.size(), 3U);
    for (const technique how : suspending_techniques) {
        unit u = spawn(pinned(), how, [&all] {
            for (int round = 0; round < 30; ++round) {
                sched::stream* target = all[static_cast<std::size_t>(round) % all.size()];
                EXPECT_EQ(core::migrate(*core::current_unit(), *target->pinned()), status::ok);
                core::yield();
                EXPECT_EQ(sched::this_stream(), target);
                suspend_for_a_moment();
                EXPECT_EQ(sched::this_stream(), target);
            }
        });
        EXPECT_EQ(u.join(), status::ok);
        EXPECT_EQ(sched::this_stream(), all[0]);
    }
}

// Its end is no longer one that only the thread of its first home sees.
TEST(migration, a_unit_that_has_moved_is_no_longer_confined) {
    const runtime running(2);
    core::pool* const targets[] = {&default_pool(), sched::stream_at(1)->pinned()};
    for (core::pool* const target : targets) {
        for (const technique how : suspending_techniques) {
            std::atomic<bool> moved{false};
            std::atomic<bool> over{false};
            unit u = spawn(pinned(), how, [&] {
                EXPECT_EQ(core::migrate(*core::current_unit(), *target), status::ok);
                core::yield();
                moved = true;
                while (!over.load()) {
                    core::yield();
                }
            });
            std::thread([&] { EXPECT_TRUE(core::is_confined_elsewhere(*u.get())); }).join();
            while (!moved.load()) {
                core::yield();
            }
            std::thread([&] { EXPECT_FALSE(core::is_confined_elsewhere(*u.get())); }).join();
            over = true;
            EXPECT_EQ(u.join(), status::ok);
        }
    }
}

TEST(migration, a_child_in_place_may_move_and_its_joiner_comes_home) {
    const runtime running(2);
    const std::vector<sched::stream*> all = streams();
    for (const technique joiner : suspending_techniques) {
        for (const technique how : suspending_techniques) {
            SCOPED_TRACE(testing::Message()
                         << static_cast<int>(joiner) << ' ' << static_cast<int>(how));
            unit u = spawn(pinned(), joiner, [&] {
                sched::stream* const home = sched::this_stream();
                const core::pool& own = *home->pinned();
                unit child = spawn(pinned(), how, [&] {
                    EXPECT_EQ(own.waiting(), 0);
                    for (const std::size_t target : {1, 0, 1}) {
                        core::migrate(*core::current_unit(), *all[target]->pinned());
                        core::yield();
                        EXPECT_EQ(sched::this_stream(), all[target]);
                        EXPECT_EQ(own.waiting(), 1);  // the joiner, which stands in no pool
                    }
                });
                EXPECT_EQ(child.join(), status::ok);
                EXPECT_EQ(sched::this_stream(), home);
                EXPECT_EQ(own.waiting(), 0);
            });
            EXPECT_EQ(u.join(), status::ok);
        }
    }
}

// A second joiner is refused, and does not take away what counts the first one.
TEST(migration, a_second_joiner_leaves_the_first_one_counted) {
    const runtime running(2);
    const std::vector<sched::stream*> all = streams();
    const core::pool& own = pinned();
    for (const technique how : suspending_techniques) {
        std::atomic<work_unit*> child{nullptr};
        std::atomic<bool> may_end{false};
        unit first = spawn(pinned(), technique::lazy_stack, [&] {
            unit c(pinned(), core::unit_attributes(how), [&] {
                core::migrate(*core::current_unit(), *all[1]->pinned());
                core::yield();
                child = core::current_unit();
                while (!may_end.load()) {
                    core::yield();
                }
            });
            c.launch();
            EXPECT_EQ(c.join(), status::ok);
        });
        unit second = spawn(pinned(), technique::lazy_stack, [&] {
            while (child.load() == nullptr) {
                core::yield();
            }
            EXPECT_EQ(core::join(child.load()), status::already_joined);
            EXPECT_EQ(own.waiting(), 1);
            may_end = true;
        });
        EXPECT_EQ(first.join(), status::ok);
        EXPECT_EQ(second.join(), status::ok);
        EXPECT_EQ(own.waiting(), 0);
    }
}

TEST(migration, a_joiner_that_is_cancelled_is_counted_no_more) {
    const runtime running(2);
    const std::vector<sched::stream*> all = streams();
    const core::pool& own = pinned();
    for (const technique how : suspending_techniques) {
        SCOPED_TRACE(static_cast<int>(how));
        std::atomic<bool> has_moved{false};
        std::atomic<bool> may_end{false};
        unit child;
        unit joiner = spawn(pinned(), how, [&] {
            child = unit(pinned(), core::unit_attributes(how), [&] {
                core::migrate(*core::current_unit(), *all[1]->pinned());
                core::yield();
                has_moved = true;
                while (!may_end.load()) {
                    core::yield();
                }
            });
            child.launch();
            core::join(child.get());
        });
        while (!has_moved.load()) {
            core::yield();
        }
        EXPECT_EQ(own.waiting(), 1);
        EXPECT_EQ(core::cancel(*joiner.get()), status::ok);
        may_end = true;
        EXPECT_EQ(joiner.join(), status::ok);
        EXPECT_EQ(own.waiting(), 0);
        EXPECT_EQ(child.join(), status::ok);
    }
}

TEST(migration, calls_back_once_per_move) {
    const runtime running(2);
    const std::vector<sched::stream*> all = streams();
    std::atomic<int> moves{0};
    unit u(pinned(), core::unit_attributes(technique::lazy_stack), [&all] {
        for (int i = 0; i < 10; ++i) {
            core::migrate(*core::current_unit(), *all[static_cast<std::size_t>(i) % 2]->pinned());
            core::yield();
        }
    });
    EXPECT_EQ(
        core::on_migration(
            *u.get(), [](work_unit*, void* n) { static_cast<std::atomic<int>*>(n)->fetch_add(1); },
            &moves),
        status::ok);
    u.launch();
    EXPECT_EQ(u.join(), status::ok);
    EXPECT_EQ(moves.load(), 10);
}

TEST(migration, the_primary_and_schedulers_stay) {
    const runtime running(2);
    EXPECT_EQ(core::migrate(*core::current_unit(), default_pool()), status::not_supported);
}

// Other threads ask while the unit makes its first suspension: neither side may lose what the other
// one wrote.
TEST(migration, asked_from_elsewhere_at_any_moment) {
    const runtime running(3);
    const std::vector<sched::stream*> all = streams();
    for (int round = 0; round < 300; ++round) {
        const technique how = suspending_techniques[static_cast<std::size_t>(round) %
                                                    std::size(suspending_techniques)];
        std::atomic<bool> started{false};
        unit u = spawn(*all[1]->pinned(), how, [&] {
            started = true;
            for (int i = 0; i < 20; ++i) {
                suspend_for_a_moment();
            }
        });
        while (!started.load()) {
            arch::pause();
        }
        for (int i = 0; i < 5; ++i) {
            EXPECT_EQ(core::migrate(*u.get(), *all[static_cast<std::size_t>(i) % 3]->pinned()),
                      status::ok);
        }
        EXPECT_EQ(u.join(), status::ok);
    }
}

TEST(cancellation, from_elsewhere_at_any_moment) {
    const runtime running(2);
    for (int round = 0; round < 300; ++round) {
        const technique how = suspending_techniques[static_cast<std::size_t>(round) %
                                                    std::size(suspending_techniques)];
        std::atomic<int> steps{0};
        unit u = spawn(default_pool(), how, [&] {
            for (;;) {
                steps.fetch_add(1);
                suspend_for_a_moment();
            }
        });
        for (int i = 0; i < round % 7 * 50; ++i) {
            arch::pause();
        }
        EXPECT_EQ(core::cancel(*u.get()), status::ok);
        EXPECT_EQ(u.join(), status::ok);
        EXPECT_TRUE(core::was_canceled(*u.get()));
    }
}

TEST(cancellation, of_the_primary_is_refused) {
    const runtime running;
    EXPECT_EQ(core::cancel(*core::current_unit()), status::not_supported);
    core::yield();
}

TEST(cancellation, after_the_end_does_nothing) {
    const runtime running;
    bool ran = false;
    unit u = spawn(pinned(), technique::adaptive, [&] { ran = true; });
    EXPECT_EQ(u.join(), status::ok);
    core::cancel(*u.get());
    EXPECT_TRUE(ran);
    EXPECT_FALSE(core::was_canceled(*u.get()));
}

TEST(cancellation, a_unit_that_never_yields_ends_by_itself) {
    const runtime running;
    bool ran = false;
    unit u = spawn(pinned(), technique::scheduler_creation, [&] {
        core::cancel(*core::current_unit());
        ran = true;
    });
    EXPECT_EQ(u.join(), status::ok);
    EXPECT_TRUE(ran);
    EXPECT_FALSE(core::was_canceled(*u.get()));
}

// If a child was cancelled before it started, its joiner finds that the child has finished.
TEST(cancellation, before_the_start_wakes_any_number_of_waiting_joiners) {
    const runtime running(2);
    for (const technique how : all_techniques) {
        std::vector<unit> units;
        std::vector<work_unit*> handles;
        for (int i = 0; i < 20; ++i) {
            unit u(default_pool(), core::unit_attributes(how), [] { ADD_FAILURE() << "it ran"; });
            core::cancel(*u.get());
            u.launch();
            handles.push_back(u.get());
            units.push_back(std::move(u));
        }
        EXPECT_EQ(core::join_many(handles.data(), handles.size()), status::ok);
        for (unit& u : units) {
            u.set_joined();
        }
    }
}

// What a request takes beside the descriptor goes with it.
TEST(cancellation, again_and_again_leaves_no_memory_behind) {
    const runtime running;
    const auto cancel_some = [](int count) {
        for (int i = 0; i < count; ++i) {
            unit u(pinned(), core::unit_attributes(technique::adaptive), [] {});
            core::cancel(*u.get());
            EXPECT_EQ(u.launch().join(), status::ok);
        }
    };
    cancel_some(100);
    const std::size_t before = mallinfo2().uordblks;
    cancel_some(20'000);
    EXPECT_LT(mallinfo2().uordblks, before + 100'000);
}

}  // namespace
