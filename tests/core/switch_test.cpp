// SPDX-License-Identifier: BSD-3-Clause
// Giving control to a unit that the caller holds.
#include <gtest/gtest.h>

#include <thread>

#include "tests/support/own_errno.hpp"
#include "tests/support/runtime.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;
using sched::private_fifo;

// Where units stand that nobody but the test takes out.
struct waiting_room {
    private_fifo pool;
    work_unit* take() { return pool.pop(core::this_worker()); }
};

class switching : public testing::TestWithParam<std::tuple<technique, technique>> {
protected:
    technique caller() const { return std::get<0>(GetParam()); }
    technique target() const { return std::get<1>(GetParam()); }

    // Units that are ready all the time, and must not come between.
    std::vector<unit> others() {
        std::vector<unit> all;
        for (int i = 0; i < 5; ++i) {
            all.push_back(spawn(pinned(), technique::adaptive, [&] {
                for (int k = 0; k < 30; ++k) {
                    log.add(0);
                    core::yield();
                }
            }));
        }
        return all;
    }
    bool follow_each_other(int first, int second) const {
        const auto all = log.all();
        for (std::size_t i = 0; i + 1 < all.size(); ++i) {
            if (all[i] == first) {
                return all[i + 1] == second;
            }
        }
        return false;
    }

    event_log<int> log;
    waiting_room room;
};

TEST_P(switching, the_target_is_next_and_the_caller_stays_ready) {
    const runtime running;
    auto crowd = others();
    unit second = spawn(room.pool, target(), [&] {
        log.add(2);
        if (target() != technique::run_to_completion) {
            suspend_for_a_moment();
        }
    });
    unit first = spawn(pinned(), caller(), [&] {
        core::yield();
        work_unit* held = room.take();
        log.add(1);
        EXPECT_EQ(core::switch_to(held), status::ok);
        log.add(3);
        while (!second.get()->join.is_finished()) {
            if (work_unit* again = room.take(); again != nullptr) {
                EXPECT_EQ(core::switch_to(again), status::ok);
            }
        }
    });
    EXPECT_EQ(first.join(), status::ok);
    EXPECT_TRUE(follow_each_other(1, 2));
}

TEST_P(switching, the_target_is_next_when_the_caller_parks) {
    const runtime running;
    auto crowd = others();
    unit first;
    unit second = spawn(room.pool, target(), [&] {
        log.add(2);
        EXPECT_EQ(first.get()->state(), core::life_state::blocked);
        core::unpark(first.get());
    });
    first = spawn(pinned(), caller(), [&] {
        core::yield();
        work_unit* held = room.take();
        log.add(1);
        EXPECT_EQ(core::park_to(held), status::ok);
        log.add(3);
    });
    EXPECT_EQ(first.join(), status::ok);
    EXPECT_EQ(second.join(), status::ok);
    EXPECT_TRUE(follow_each_other(1, 2));
}

TEST_P(switching, a_park_that_was_answered_before_is_a_switch) {
    const runtime running;
    auto crowd = others();
    unit second = spawn(room.pool, target(), [&] { log.add(2); });
    unit first = spawn(pinned(), caller(), [&] {
        core::unpark(core::current_unit());
        work_unit* held = room.take();
        log.add(1);
        EXPECT_EQ(core::park_to(held), status::ok);
    });
    EXPECT_EQ(first.join(), status::ok);
    EXPECT_EQ(second.join(), status::ok);
    EXPECT_TRUE(follow_each_other(1, 2));
}

TEST_P(switching, the_target_is_next_when_the_caller_ends) {
    const runtime running;
    for (const bool suspended_before : {false, true}) {
        log.clear();
        auto crowd = others();
        unit second = spawn(room.pool, target(), [&] { log.add(2); });
        bool unwound = false;
        unit first = spawn(pinned(), caller(), [&] {
            struct guard {
                bool* set;
                ~guard() { *set = true; }
            } const seen{&unwound};
            if (suspended_before) {
                suspend_for_a_moment();
            }
            log.add(1);
            core::exit_to(room.take());
        });
        while (!first.get()->join.is_finished()) {
            suspend_for_a_moment();  // no join, which would run it in place
        }
        EXPECT_TRUE(unwound);
        EXPECT_EQ(second.join(), status::ok);
        EXPECT_TRUE(follow_each_other(1, 2));
    }
}

// One that stands in for a call: its parent does not go on before the target.
TEST_P(switching, the_target_is_next_when_a_child_that_came_first_ends) {
    const runtime running;
    auto crowd = others();
    unit second = spawn(room.pool, target(), [&] { log.add(2); });
    unit parent = spawn(pinned(), technique::adaptive, [&] {
        unit first(pinned(), core::unit_attributes(caller()), [&] {
            log.add(1);
            core::exit_to(room.take());
        });
        first.launch_child_first();
        log.add(3);
        EXPECT_EQ(first.join(), status::ok);
    });
    EXPECT_EQ(parent.join(), status::ok);
    EXPECT_EQ(second.join(), status::ok);
    EXPECT_TRUE(follow_each_other(1, 2));
}

INSTANTIATE_TEST_SUITE_P(all, switching,
                         testing::Combine(testing::ValuesIn(suspending_techniques),
                                          testing::ValuesIn(all_techniques)),
                         [](const auto& param) {
                             return support::name_of(std::get<0>(param.param)) + "_to_" +
                                    support::name_of(std::get<1>(param.param));
                         });

TEST(switching_from, a_tasklet_is_refused) {
    const runtime running;
    unit target(pinned(), core::unit_attributes(technique::adaptive), [] {});
    unit tasklet = spawn(pinned(), technique::run_to_completion, [&] {
        EXPECT_EQ(core::switch_to(target.get()), status::cannot_suspend);
        EXPECT_EQ(core::park_to(target.get()), status::cannot_suspend);
    });
    EXPECT_EQ(tasklet.join(), status::ok);
    EXPECT_EQ(target.launch().join(), status::ok);
}

// Destructors of ULT-local values may give way between the exit and the end.
TEST(ending, local_values_may_join_others_when_they_are_destroyed) {
    const runtime running;
    static int joined;
    joined = 0;
    const core::local_key key = core::create_local_key([](void*) {
        unit inner = spawn(pinned(), technique::scheduler_creation, [] { ++joined; });
        EXPECT_EQ(inner.join(), status::ok);
    });
    for (const technique how : suspending_techniques) {
        unit u =
            spawn(pinned(), how, [&] { core::set_local(*core::current_unit(), key, &joined); });
        EXPECT_EQ(u.join(), status::ok);
    }
    EXPECT_EQ(joined, static_cast<int>(std::size(suspending_techniques)));
    core::destroy_local_key(key);
}

TEST(switching_from, an_exit_with_locals_that_give_way_loses_no_unit) {
    const runtime running;
    const core::local_key key = core::create_local_key([](void*) { suspend_for_a_moment(); });
    for (const technique how : suspending_techniques) {
        waiting_room room;
        unit second = spawn(room.pool, technique::adaptive, [] {});
        unit first = spawn(pinned(), how, [&] {
            int value = 0;
            core::set_local(*core::current_unit(), key, &value);
            core::exit_to(room.take());
        });
        EXPECT_EQ(first.join(), status::ok);
        EXPECT_EQ(second.join(), status::ok);
    }
    core::destroy_local_key(key);
}

// --- to one that stands in its pool

TEST(yield_to, goes_to_the_unit_and_comes_back) {
    const runtime running;
    event_log<int> log;
    unit first = spawn(pinned(), technique::lazy_stack, [&] { log.add(1); });
    unit second = spawn(pinned(), technique::lazy_stack, [&] { log.add(2); });
    EXPECT_EQ(core::yield_to(second.get()), status::ok);  // it does not stand in front
    ASSERT_FALSE(log.all().empty());
    EXPECT_EQ(log.all().front(), 2);
    EXPECT_EQ(core::yield_to(first.get()), status::ok);
    EXPECT_EQ(first.join(), status::ok);
    EXPECT_EQ(second.join(), status::ok);
    EXPECT_EQ(log.all().size(), 2U);
}

TEST(yield_to, oneself_goes_on_at_once) {
    const runtime running;
    bool ran = false;
    unit other = spawn(pinned(), technique::lazy_stack, [&] { ran = true; });
    EXPECT_EQ(core::yield_to(core::current_unit()), status::ok);
    EXPECT_FALSE(ran);
    other.join();
}

TEST(yield_to, a_unit_that_is_not_ready_is_a_plain_yield) {
    const runtime running;
    work_unit* waiting = nullptr;
    unit blocked = spawn(pinned(), technique::lazy_stack, [&] {
        waiting = core::current_unit();
        core::park();
    });
    core::yield();
    ASSERT_EQ(waiting, blocked.get());
    bool ran = false;
    unit other = spawn(pinned(), technique::lazy_stack, [&] { ran = true; });
    EXPECT_EQ(core::yield_to(waiting), status::ok);
    EXPECT_TRUE(ran);
    core::unpark(waiting);
    EXPECT_EQ(blocked.join(), status::ok);
    EXPECT_EQ(other.join(), status::ok);
}

TEST(yield_to, is_not_for_units_that_cannot_suspend) {
    const runtime running;
    waiting_room room;
    unit target = spawn(room.pool, technique::lazy_stack, [] {});
    const auto all_refused = [&] {
        EXPECT_EQ(core::yield_to(target.get()), status::cannot_suspend);
        EXPECT_EQ(core::switch_to(target.get()), status::cannot_suspend);
        EXPECT_EQ(core::park_to(target.get()), status::cannot_suspend);
    };
    unit tasklet = spawn(pinned(), technique::run_to_completion, all_refused);
    EXPECT_EQ(tasklet.join(), status::ok);
    std::thread(all_refused).join();
    std::thread([&] {
        core::this_worker();  // no scheduler either
        all_refused();
    }).join();
    EXPECT_EQ(core::switch_to(room.take()), status::ok);
    EXPECT_EQ(target.join(), status::ok);
}

// The short way that some callers look for first.
TEST(yield_to_next, is_open_to_a_unit_that_nothing_hinders) {
    const runtime running;
    worker& w = core::this_worker();
    event_log<int> log;
    unit next = spawn(pinned(), technique::lazy_stack, [&] { log.add(1); });
    unit last = spawn(pinned(), technique::lazy_stack, [&] { log.add(2); });
    EXPECT_FALSE(core::is_yield_to_next(w, last.get()));
    if (!arch::switches_in_tail_position || probe::asan || probe::tsan) {
        EXPECT_FALSE(core::is_yield_to_next(w, next.get()));
    } else {
        EXPECT_TRUE(core::is_yield_to_next(w, next.get()));
        {
            const core::no_suspension held(w.current);
            EXPECT_FALSE(core::is_yield_to_next(w, next.get()));
        }
        try {
            throw 1;
        } catch (int) {
            EXPECT_FALSE(core::is_yield_to_next(w, next.get())) << "an exception is on its way";
        }
        core::yield_to_next(w);
        EXPECT_EQ(log.all().front(), 1);
    }
    EXPECT_EQ(next.join(), status::ok);
    EXPECT_EQ(last.join(), status::ok);
    std::thread([&] {
        EXPECT_FALSE(core::is_yield_to_next(core::this_worker(), next.get()));
    }).join();
}

TEST(yield_to_next, is_closed_to_a_unit_that_was_asked_for_something) {
    const runtime running(2);
    bool was_open = true;
    unit u = spawn(pinned(), technique::lazy_stack, [&] {
        unit next = spawn(pinned(), technique::lazy_stack, [] {});
        core::migrate(*core::current_unit(), *sched::stream_at(1)->pinned());
        was_open = core::is_yield_to_next(core::this_worker(), next.get());
        next.join();
    });
    EXPECT_EQ(u.join(), status::ok);
    EXPECT_FALSE(was_open);
}

// What a unit leaves to be done when it has been suspended, such as waking a stream, is done on the
// next one's stack.
void suspend_and_spoil_errno() {
    core::suspend(
        [](void* self) {
            core::make_ready(core::this_worker_or_null(), static_cast<work_unit*>(self));
            set_errno(42);
        },
        core::current_unit());
}

// As waits do.
void suspend_published() {
    work_unit* const self = core::current_unit();
    core::suspend_published<core::suspension_reason::waits>([self]() noexcept {
        core::make_ready(core::this_worker_or_null(), self);
        set_errno(43);
    });
}

TEST(suspension, errno_is_as_it_was_whatever_others_do_when_they_suspend) {
    const runtime running;
    for (void (*suspends)() : {suspend_for_a_moment, suspend_and_spoil_errno, suspend_published}) {
        for (const technique how : suspending_techniques) {
            int found = 0;
            unit patient = spawn(pinned(), how, [&] {
                set_errno(41);
                suspends();
                found = get_errno();
            });
            unit other = spawn(pinned(), technique::lazy_stack, [] {
                for (int i = 0; i < 3; ++i) {
                    suspend_and_spoil_errno();
                }
            });
            EXPECT_EQ(patient.join(), status::ok);
            EXPECT_EQ(found, 41) << name_of(how);
            EXPECT_EQ(other.join(), status::ok);
        }
    }
}

}  // namespace
