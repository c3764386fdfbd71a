// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/life/join.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "lazult/core/switch/nested.hpp"
#include "tests/support/runtime.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;

TEST(join, refuses_what_cannot_be_joined) {
    const runtime running;
    EXPECT_EQ(core::join(nullptr), status::invalid_handle);
    EXPECT_EQ(core::detach(nullptr), status::invalid_handle);
    EXPECT_EQ(core::revive(nullptr, pinned(), nullptr, nullptr), status::invalid_handle);
    EXPECT_EQ(core::join(core::current_unit()), status::would_deadlock);
    work_unit* const self = core::current_unit();
    EXPECT_EQ(core::join_many(&self, 1), status::would_deadlock);
    unit u = spawn(pinned(), technique::adaptive,
                   [] { EXPECT_EQ(core::join(core::current_unit()), status::would_deadlock); });
    EXPECT_EQ(u.join(), status::ok);
}

TEST(join, a_freed_unit_is_recognised) {
    const runtime running;
    work_unit* freed = nullptr;
    {
        unit u = spawn(pinned(), technique::full, [] {});
        freed = u.get();
    }
    EXPECT_EQ(core::join(freed), status::freed_handle);
    EXPECT_EQ(core::join_many(&freed, 1), status::freed_handle);
    EXPECT_TRUE(core::is_descriptor(freed));
    int local = 0;
    EXPECT_FALSE(core::is_descriptor(&local));
    EXPECT_FALSE(core::is_descriptor(nullptr));
}

TEST(join, joining_a_finished_unit_again_is_fine) {
    const runtime running;
    unit u = spawn(pinned(), technique::adaptive, [] {});
    EXPECT_EQ(u.join(), status::ok);
    EXPECT_EQ(u.join(), status::ok);
}

TEST(join, a_second_joiner_is_refused_also_of_a_unit_that_runs_in_place) {
    const runtime running;
    for (const technique how : suspending_techniques) {
        std::atomic<bool> go{false};
        unit awaited = spawn(pinned(), how, [&] {
            while (!go.load()) {
                suspend_for_a_moment();
            }
        });
        status outcome = status::busy;
        unit second = spawn(pinned(), technique::lazy_stack, [&] {
            outcome = core::join(awaited.get());
            go = true;
        });
        EXPECT_EQ(awaited.join(), status::ok);
        EXPECT_EQ(second.join(), status::ok);
        EXPECT_EQ(outcome, status::already_joined) << support::name_of(how);
    }
}

// The first joiner suspended because somebody stood before the unit; the second one finds it next
// in line, and must not run it as its own.
TEST(join, a_second_joiner_does_not_make_the_first_one_be_forgotten) {
    const runtime running;
    for (const technique how : all_techniques) {
        status first_outcome = status::busy;
        status second_outcome = status::busy;
        unit awaited(pinned(), core::unit_attributes(how), [] {});
        unit first = spawn(pinned(), technique::lazy_stack,
                           [&] { first_outcome = core::join(awaited.get()); });
        unit second = spawn(pinned(), technique::lazy_stack,
                            [&] { second_outcome = core::join(awaited.get()); });
        awaited.launch();
        while (first_outcome == status::busy || second_outcome == status::busy) {
            suspend_for_a_moment();
        }
        EXPECT_EQ(first_outcome, status::ok) << support::name_of(how);
        EXPECT_EQ(second_outcome, status::ok) << support::name_of(how);  // it finds it finished
        awaited.set_joined();
    }
}

// At once where the other thread runs, too.
template <class Holds>
void spin_until(Holds&& holds) {
    for (unsigned i = 1; !holds(); ++i) {
        if (i % 1024 == 0) {
            std::this_thread::yield();
        }
    }
}

// One joiner takes the unit out of its pool to run it in place, while another one begins to wait
// for it. The second of them is refused, unless the unit has finished by then.
TEST(join, of_two_joiners_at_once_one_is_refused_and_neither_is_forgotten) {
    const runtime running;
    sched::shared_fifo unserved;
    constexpr int rounds = 20'000;
    std::atomic<work_unit*> shown{nullptr};
    status others = status::busy;
    std::thread other([&] {
        for (int i = 0; i < rounds; ++i) {
            spin_until([&] { return shown.load() != nullptr; });
            others = core::join(shown.load());
            shown = nullptr;
        }
    });
    for (int i = 0; i < rounds; ++i) {
        unit u = spawn(unserved, technique::adaptive, [] {});
        shown = u.get();
        const status mine = core::join(u.get());
        if (mine == status::already_joined) {
            core::run_nested(core::this_worker(), unserved.pop(core::this_worker()));
        }
        spin_until([&] { return shown.load() == nullptr; });
        EXPECT_TRUE(mine == status::ok || others == status::ok);
        u.set_joined();
    }
    other.join();
}

TEST(join, a_unit_with_a_joiner_is_not_detached) {
    const runtime running;
    for (const technique how : suspending_techniques) {
        std::atomic<bool> go{false};
        unit awaited = spawn(pinned(), how, [&] {
            while (!go.load()) {
                suspend_for_a_moment();
            }
        });
        status outcome = status::busy;
        unit second = spawn(pinned(), technique::lazy_stack, [&] {
            outcome = core::detach(awaited.get());
            go = true;
        });
        EXPECT_EQ(awaited.join(), status::ok);
        EXPECT_EQ(second.join(), status::ok);
        EXPECT_EQ(outcome, status::already_joined) << support::name_of(how);
    }
}

TEST(join, a_tasklet_joins_what_is_finished_and_nothing_else) {
    const runtime running;
    unit finished = spawn(pinned(), technique::adaptive, [] {});
    EXPECT_EQ(finished.join(), status::ok);
    unit tasklet = spawn(pinned(), technique::run_to_completion, [&] {
        EXPECT_EQ(core::join(finished.get()), status::ok);
        unit pending = spawn(pinned(), technique::adaptive, [] {});
        EXPECT_EQ(core::join(pending.get()), status::cannot_suspend);
        work_unit* const one = pending.get();
        EXPECT_EQ(core::join_many(&one, 1), status::cannot_suspend);
        EXPECT_FALSE(core::can_suspend());
        core::yield();
        EXPECT_EQ(core::yield_to(pending.get()), status::cannot_suspend);
        pending.detach();
    });
    // Not in place: on the host, where a tasklet has no joiner below it.
    while (tasklet.get()->state() != core::life_state::finished) {
        core::yield();
    }
    EXPECT_EQ(tasklet.join(), status::ok);
    core::yield();
}

TEST(join_many, waits_for_all_of_every_technique) {
    for (const unsigned streams : {1U, 3U}) {
        const runtime running(streams);
        for (core::pool* home : {static_cast<core::pool*>(&pinned()), &default_pool()}) {
            for (int round = 0; round < 20; ++round) {
                std::atomic<int> done{0};
                std::vector<unit> units;
                std::vector<work_unit*> handles;
                for (int i = 0; i < 64; ++i) {
                    const technique how =
                        all_techniques[static_cast<std::size_t>(i) % std::size(all_techniques)];
                    units.push_back(spawn(*home, how, [&done, i, how] {
                        if (how != technique::run_to_completion && i % 3 == 0) {
                            suspend_for_a_moment();
                        }
                        done.fetch_add(1);
                    }));
                    handles.push_back(units.back().get());
                }
                EXPECT_EQ(core::join_many(handles.data(), handles.size()), status::ok);
                EXPECT_EQ(done.load(), 64);
                for (unit& u : units) {
                    u.set_joined();
                }
            }
        }
    }
}

TEST(join_many, of_none_and_of_finished_ones_returns) {
    const runtime running;
    EXPECT_EQ(core::join_many(nullptr, 0), status::ok);
    unit a = spawn(pinned(), technique::full, [] {});
    unit b = spawn(pinned(), technique::scheduler_creation, [] {});
    a.join();
    b.join();
    work_unit* const both[] = {a.get(), b.get()};
    EXPECT_EQ(core::join_many(both, 2), status::ok);
}

TEST(join_many, tells_of_a_unit_that_somebody_else_joins) {
    const runtime running;
    std::atomic<bool> go{false};
    unit awaited = spawn(pinned(), technique::lazy_stack, [&] {
        while (!go.load()) {
            suspend_for_a_moment();
        }
    });
    unit other = spawn(pinned(), technique::lazy_stack, [] { suspend_for_a_moment(); });
    status outcome = status::ok;
    unit second = spawn(pinned(), technique::lazy_stack, [&] {
        work_unit* const both[] = {other.get(), awaited.get()};
        outcome = core::join_many(both, 2);
        go = true;
    });
    EXPECT_EQ(awaited.join(), status::ok);
    EXPECT_EQ(second.join(), status::ok);
    EXPECT_EQ(outcome, status::already_joined);
    EXPECT_EQ(other.join(), status::ok);
}

// The joiner is at home on its own stream, wherever the last of its children ended.
TEST(join_many, the_primary_stays_on_its_thread) {
    const runtime running(3);
    const auto me = std::this_thread::get_id();
    for (int round = 0; round < 200; ++round) {
        std::vector<unit> units;
        std::vector<work_unit*> handles;
        for (int i = 0; i < 12; ++i) {
            units.push_back(spawn(default_pool(), technique::lazy_stack, [] {
                for (int k = 0; k < 3; ++k) {
                    suspend_for_a_moment();
                }
            }));
            handles.push_back(units.back().get());
        }
        EXPECT_EQ(core::join_many(handles.data(), handles.size()), status::ok);
        for (unit& u : units) {
            u.set_joined();
        }
        ASSERT_EQ(std::this_thread::get_id(), me);
    }
}

// "N + 1 switches": the joiner itself is resumed once.
TEST(join_many, the_joiner_suspends_once) {
    const runtime running;
    const auto suspensions = [] { return core::this_worker().count.suspensions.get(); };
    std::vector<unit> units;
    std::vector<work_unit*> handles;
    for (int i = 0; i < 100; ++i) {
        units.push_back(spawn(pinned(), technique::lazy_stack, [] {}));
        handles.push_back(units.back().get());
    }
    const std::uint64_t before = suspensions();
    EXPECT_EQ(core::join_many(handles.data(), handles.size()), status::ok);
    EXPECT_EQ(suspensions() - before, 1U);
    for (unit& u : units) {
        u.set_joined();
    }
}

TEST(outside, threads_create_join_detach_and_free) {
    const runtime running(2);
    std::atomic<int> done{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < 200; ++i) {
                const technique how =
                    all_techniques[static_cast<std::size_t>(i) % std::size(all_techniques)];
                unit u = spawn(default_pool(), how, [&, how] {
                    if (how != technique::run_to_completion) {
                        suspend_for_a_moment();
                    }
                    done.fetch_add(1);
                });
                EXPECT_EQ(u.join(), status::ok);
            }
        });
    }
    for (std::thread& t : threads) {
        t.join();
    }
    EXPECT_EQ(done.load(), 600);
}

TEST(outside, threads_use_join_many_and_yield) {
    const runtime running(2);
    std::thread([&] {
        EXPECT_FALSE(core::can_suspend());
        EXPECT_EQ(core::current_unit(), nullptr);
        core::yield();
        std::atomic<int> done{0};
        std::vector<unit> units;
        std::vector<work_unit*> handles;
        for (int i = 0; i < 50; ++i) {
            units.push_back(spawn(default_pool(), technique::adaptive, [&] { done.fetch_add(1); }));
            handles.push_back(units.back().get());
        }
        EXPECT_EQ(core::join_many(handles.data(), handles.size()), status::ok);
        EXPECT_EQ(done.load(), 50);
        for (unit& u : units) {
            u.set_joined();
        }
    }).join();
}

// --- units of private pools, met from elsewhere. Their ends take no locked instruction at home.

// A unit that stays in the pinned pool of the calling stream until `let_go`.
class confined {
public:
    explicit confined(technique how)
        : unit_(spawn(pinned(), how, [this] {
              while (!let_go_.load()) {
                  core::yield();
              }
              result = 42;
          })) {}

    work_unit* get() { return unit_.get(); }
    // Runs others here until `done`.
    void let_go_and_wait(const std::atomic<int>& done, int wanted) {
        let_go_ = true;
        while (done.load() != wanted) {
            core::yield();
        }
    }

    int result = 0;

private:
    std::atomic<bool> let_go_{false};
    unit unit_;
};

TEST(confined, is_joined_from_another_thread_before_and_after_its_end) {
    const runtime running(1);
    for (technique how : suspending_techniques) {
        for (bool late : {false, true}) {
            confined unit(how);
            EXPECT_TRUE(unit.get()->join.is_local());
            std::atomic<int> done{0};
            std::atomic<bool> may_join{!late};
            std::thread joiner([&] {
                while (!may_join.load()) {
                    std::this_thread::yield();
                }
                EXPECT_EQ(core::join(unit.get()), status::ok);
                EXPECT_EQ(unit.result, 42);
                done = 1;
            });
            if (late) {
                unit.let_go_and_wait(done, 0);
                while (!unit.get()->join.is_finished()) {
                    core::yield();
                }
                may_join = true;
            }
            for (int i = 0; i < 100; ++i) {
                core::yield();
            }
            unit.let_go_and_wait(done, 1);
            joiner.join();
        }
    }
}

TEST(confined, is_joined_by_ults_of_another_stream) {
    const runtime running(2);
    for (technique how : suspending_techniques) {
        constexpr int count = 20;
        std::vector<std::unique_ptr<confined>> units;
        std::vector<work_unit*> handles;
        for (int i = 0; i < count; ++i) {
            units.push_back(std::make_unique<confined>(how));
            handles.push_back(units.back()->get());
        }
        std::atomic<int> done{0};
        sched::private_fifo& there = *sched::stream_at(1)->pinned();
        unit one = spawn(there, technique::lazy_stack, [&] {
            EXPECT_EQ(core::join(handles[0]), status::ok);
            EXPECT_EQ(units[0]->result, 42);
            done.fetch_add(1);
        });
        unit rest = spawn(there, technique::lazy_stack, [&] {
            EXPECT_EQ(core::join_many(handles.data() + 1, count - 1), status::ok);
            done.fetch_add(1);
        });
        for (int i = 0; i < 20; ++i) {
            core::yield();
        }
        for (auto& each : units) {
            each->let_go_and_wait(done, 0);
        }
        units[0]->let_go_and_wait(done, 2);
        EXPECT_EQ(one.join(), status::ok);
        EXPECT_EQ(rest.join(), status::ok);
        for (auto& each : units) {
            EXPECT_EQ(each->result, 42);
        }
    }
}

TEST(confined, is_detached_by_another_thread) {
    const runtime running(1);
    std::atomic<int> ended{0};
    for (technique how : suspending_techniques) {
        unit u = spawn(pinned(), how, [&] { ended.fetch_add(1); });
        std::thread([&] { EXPECT_EQ(u.detach(), status::ok); }).join();
    }
    while (ended.load() != static_cast<int>(std::size(suspending_techniques))) {
        core::yield();
    }
    for (int i = 0; i < 10; ++i) {
        core::yield();  // the messengers
    }
}

TEST(confined, may_migrate_while_another_thread_asks_for_it) {
    const runtime running(2);
    for (int round = 0; round < 200; ++round) {
        std::atomic<bool> go{false};
        unit u = spawn(pinned(), technique::lazy_stack, [&] {
            while (!go.load()) {
                core::yield();
            }
        });
        work_unit* handle = u.get();
        std::atomic<int> done{0};
        std::thread joiner([&] {
            EXPECT_EQ(core::join(handle), status::ok);
            done = 1;
        });
        EXPECT_EQ(core::migrate(*handle, default_pool()), status::ok);
        go = true;
        while (done.load() != 1) {
            core::yield();
        }
        joiner.join();
    }
}

// The end of a unit races with its detach: exactly one of the two frees it.
TEST(detach, races_with_the_end) {
    const runtime running(2);
    static std::atomic<int> ended;
    ended = 0;
    std::thread([&] {
        for (int i = 0; i < 2000; ++i) {
            const technique how = suspending_techniques[static_cast<std::size_t>(i) %
                                                        std::size(suspending_techniques)];
            worker& w = core::this_worker();
            work_unit* u = core::prepare(
                w, default_pool(), [](void*) { ended.fetch_add(1); }, nullptr,
                core::unit_attributes(how));
            core::launch(w, u);
            EXPECT_EQ(core::detach(u), status::ok);
        }
    }).join();
    while (ended.load() != 2000) {
        core::yield();
    }
}

// --- what only its pool's thread may end

TEST(confined, is_joined_from_another_stream_together_with_others) {
    const runtime running(2);
    for (int round = 0; round < 20; ++round) {
        std::atomic<int> ran{0};
        unit here = spawn(pinned(), technique::lazy_stack, [&] { ran.fetch_add(1); });
        unit joiner = spawn(*sched::stream_at(1)->pinned(), technique::full, [&] {
            unit there = spawn(*sched::stream_at(1)->pinned(), technique::lazy_stack,
                               [&] { ran.fetch_add(1); });
            ASSERT_TRUE(there.get()->join.is_local());
            work_unit* all[] = {there.get(), here.get()};
            EXPECT_EQ(core::join_many(all, 2), status::ok);
            EXPECT_EQ(ran.load(), 2);
            there.set_joined();
        });
        EXPECT_EQ(joiner.join(), status::ok);
        here.set_joined();
    }
}

TEST(confined, is_joined_by_a_tasklet_that_may_block_its_thread) {
    const runtime running(2);
    core::unit_attributes blocks(technique::run_to_completion);
    blocks.user_bits(core::unit_header::blocks_thread);
    for (int round = 0; round < 20; ++round) {
        bool ran = false;
        unit here = spawn(pinned(), technique::lazy_stack, [&] { ran = true; });
        unit joiner = spawn(*sched::stream_at(1)->pinned(), blocks, [&] {
            EXPECT_EQ(here.join(), status::ok);
            EXPECT_TRUE(ran);
        });
        EXPECT_EQ(joiner.join(), status::ok);
    }
}

TEST(join_many, in_a_tasklet_waits_for_nobody) {
    const runtime running;
    unit later(pinned(), core::unit_attributes(technique::lazy_stack), [] {});
    unit tasklet = spawn(pinned(), technique::run_to_completion, [&] {
        work_unit* all[] = {later.get()};
        EXPECT_EQ(core::join_many(all, 1), status::cannot_suspend);
        EXPECT_EQ(core::join_many(all, 0), status::ok);
    });
    EXPECT_EQ(tasklet.join(), status::ok);
    later.launch();
    EXPECT_EQ(later.join(), status::ok);
}

// --- the end of a descriptor

TEST(dispose, by_a_thread_without_a_worker_gives_everything_back) {
    const runtime running;
    worker& w = core::this_worker();
    const std::size_t stacks = w.stacks.live();
    for (const technique how : {technique::full, technique::lazy_stack}) {
        work_unit* u =
            core::prepare(w, pinned(), [](void*) {}, nullptr, core::unit_attributes(how));
        ASSERT_NE(u, nullptr);
        EXPECT_EQ(w.stacks.live(), stacks + (how == technique::full ? 1 : 0));
        core::dispose(nullptr, u);
        EXPECT_EQ(w.stacks.live(), stacks);
    }
}

}  // namespace
