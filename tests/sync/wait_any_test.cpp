// SPDX-License-Identifier: BSD-3-Clause
#include "tests/sync/harness.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <numeric>

namespace lazult::testing {
namespace {

using base::status;
using sync::any_result;
using sync::choice;

TEST(wait_any, takes_the_first_that_needs_no_waiting) {
    sync::eventual unset;
    sync::semaphore two(2);
    sync::channel<int> c(1);
    int value = 7;
    const choice choices[] = {choice::set(unset), choice::acquired(two),
                              choice::sent(c.untyped(), &value)};
    EXPECT_EQ(sync::wait_any(choices).index, 1U);
    EXPECT_EQ(sync::wait_any(choices).index, 1U);
    EXPECT_EQ(two.tokens(), 0U);
    EXPECT_EQ(sync::wait_any(choices).index, 2U);
    EXPECT_EQ(c.size(), 1U);
    const any_result late = sync::wait_any(choices, in_ms(2));
    EXPECT_EQ(late.outcome, status::timed_out);
    unset.set();
    EXPECT_EQ(sync::wait_any(choices).index, 0U);
}

TEST(wait_any, without_choices_waits_for_its_deadline) {
    const std::int64_t began = os::now_ns();
    EXPECT_EQ(sync::wait_any({}, in_ms(3)).outcome, status::timed_out);
    EXPECT_GE(os::now_ns() - began, 3 * millisecond);
    EXPECT_EQ(sync::wait_any({}).outcome, status::invalid_argument);
}

// A wait for a unit of a private pool, while the pool's stream is busy: what is ready first ends
// the wait, and a deadline is kept.
TEST(wait_any, of_a_unit_confined_to_a_busy_stream) {
    runtime_scope runtime(1);
    sync::eventual e;
    sync::latch let_end(1);
    crowd callers;
    core::work_unit* u =
        callers.ult([&] { let_end.wait(); }, technique::lazy_stack, sched::this_stream()->pinned());
    EXPECT_TRUE(u->join.is_local());
    std::thread waiter([&] {
        const choice choices[] = {choice::finished(u), choice::set(e)};
        EXPECT_EQ(sync::join_until(u, in_ms(2)), status::timed_out);
        EXPECT_EQ(sync::wait_any(choices, in_ms(2)).outcome, status::timed_out);
        e.set();
        const any_result result = sync::wait_any(choices);
        EXPECT_EQ(result.outcome, status::ok);
        EXPECT_EQ(result.index, 1U);
    });
    waiter.join();  // the stream runs nothing else meanwhile
    std::atomic<bool> met{false};
    std::thread patient([&] {
        EXPECT_EQ(sync::join_until(u, in_ms(20'000)), status::ok);
        met = true;
    });
    for (int i = 0; i < 100; ++i) {
        core::yield();
    }
    let_end.count_down();
    while (!met.load()) {
        core::yield();
    }
    patient.join();
}

// One caller waits for one of each kind; each in turn ends the wait, and nothing else is taken.
void end_by_each_kind() {
    sync::eventual e;
    sync::future f(1);
    sync::semaphore s;
    sync::channel<int> in(1);
    sync::channel<int> out(1);
    int got = 0;
    int mine = 42;
    EXPECT_EQ(out.send(0), status::ok);
    for (std::size_t winner = 0; winner < 6; ++winner) {
        sync::latch let_end(1);
        crowd callers;
        core::work_unit* u = callers.ult([&] { let_end.wait(); });
        std::atomic<bool> ended{false};
        const auto body = [&](int) {
            const choice choices[] = {
                choice::finished(u),
                choice::set(e),
                choice::ready(f),
                choice::acquired(s),
                choice::sent(out.untyped(), &mine),
                choice::received(in.untyped(), &got),
            };
            const any_result result = sync::wait_any(choices, in_ms(5000));
            EXPECT_EQ(result.outcome, status::ok);
            EXPECT_EQ(result.index, winner);
            ended = true;
        };
        crowd waiters;
        if (winner % 2 == 0) {
            waiters.ults(1, body);
        } else {
            waiters.threads(1, body);
        }
        sync::sleep_for(2 * millisecond);
        EXPECT_FALSE(ended.load());
        int drained = -1;
        switch (winner) {
            case 0: let_end.count_down(); break;
            case 1: e.set(); break;
            case 2: f.set(nullptr); break;
            case 3: s.release(); break;
            case 4: EXPECT_EQ(out.receive(drained), status::ok); break;
            default: EXPECT_EQ(in.send(5), status::ok); break;
        }
        waiters.join();
        e.reset();
        f.reset();
        EXPECT_EQ(s.tokens(), 0U);
        EXPECT_EQ(in.size(), 0U);
        EXPECT_EQ(out.size(), 1U);
        EXPECT_EQ(got, winner == 5 ? 5 : 0);
        if (winner != 0) {
            let_end.count_down();
        }
        callers.join();
    }
}

TEST(wait_any, each_kind_of_object_ends_it) { on_one_and_two_streams(end_by_each_kind); }

TEST(wait_any, more_choices_than_it_keeps_room_for) {
    on_one_and_two_streams([] {
        std::array<sync::eventual, 20> many;
        std::vector<choice> choices;
        for (sync::eventual& e : many) {
            choices.push_back(choice::set(e));
        }
        crowd callers;
        callers.ult([&] {
            sync::sleep_for(millisecond);
            many[17].set();
        });
        EXPECT_EQ(sync::wait_any(choices).index, 17U);
        callers.join();
    });
}

TEST(wait_any, the_first_of_many_units) {
    on_one_and_two_streams([] {
        for (int round = 0; round < 30; ++round) {
            crowd callers;
            std::array<sync::latch, 4> gates{sync::latch(1), sync::latch(1), sync::latch(1),
                                             sync::latch(1)};
            std::vector<choice> choices;
            for (sync::latch& gate : gates) {
                choices.push_back(choice::finished(callers.ult([&] { gate.wait(); })));
            }
            const auto first = static_cast<std::size_t>(round % 4);
            gates[first].count_down();
            const any_result result = sync::wait_any(choices, in_ms(5000));
            EXPECT_EQ(result.outcome, status::ok);
            EXPECT_EQ(result.index, first);
            for (std::size_t i = 0; i < gates.size(); ++i) {
                if (i != first) {
                    gates[i].count_down();
                }
            }
            callers.join();
        }
    });
}

// Many waiters that each want either of two tokens, or something that never comes: tokens are
// neither lost nor made.
TEST(wait_any, claims_race) {
    on_one_and_two_streams([] {
        sync::semaphore a;
        sync::semaphore b;
        sync::channel<int> c(1);
        std::atomic<int> taken{0};
        std::atomic<bool> done{false};
        crowd callers;
        const auto body = [&](int who) {
            for (int i = 0; !done.load(); ++i) {
                int got = 0;
                const choice choices[] = {choice::acquired(a), choice::received(c.untyped(), &got),
                                          choice::acquired(b)};
                const any_result result =
                    sync::wait_any(choices, sync::deadline_after((who * 13 + i) % 50 * 1000));
                taken += result.outcome == status::ok ? 1 : 0;
            }
        };
        callers.threads(1, body);
        callers.ults(7, body);
        int sent = 0;
        for (int i = 0; i < 1000; ++i) {
            a.release();
            b.release();
            sent += c.try_send(i) == status::ok ? 1 : 0;
            core::yield();
        }
        const auto balance = [&] {
            return taken.load() + static_cast<int>(a.tokens() + b.tokens() + c.size());
        };
        EXPECT_TRUE(wait_for([&] { return balance() == 2000 + sent; }));
        done = true;
        callers.join();
        EXPECT_EQ(balance(), 2000 + sent);
    });
}

void spin_for(std::int64_t ns) {
    for (const std::int64_t end = os::now_ns() + ns; os::now_ns() < end;) {
    }
}

constexpr std::size_t crossing = 200;
using tokens = std::array<sync::semaphore, crossing>;

std::size_t count(const tokens& all) {
    return std::accumulate(
        all.begin(), all.end(), std::size_t{0},
        [](std::size_t sum, const sync::semaphore& each) { return sum + each.tokens(); });
}
void drain(tokens& all) {
    for (sync::semaphore& each : all) {
        while (each.try_acquire()) {
        }
    }
}

// Runs on the other stream, while the caller's stream runs nothing but the caller.
void begin_elsewhere(crowd& callers,
                     const std::function<void(const std::function<void()>&)>& body) {
    std::atomic<bool> has_begun{false};
    callers.ult([&, body] { body([&has_begun] { has_begun = true; }); }, technique::adaptive,
                &sched::stream_at(1)->default_pool());
    while (!has_begun.load()) {
    }
}

// A wait lists its choices from the first to the last while they come about from the last to the
// first. Where both meet, the wait is claimed for one choice while the next one is looked at, which
// can be had.
TEST(wait_any, takes_no_second_token_when_it_is_claimed_meanwhile) {
    runtime_scope runtime(2);
    tokens all;
    std::vector<choice> choices;
    for (sync::semaphore& each : all) {
        choices.push_back(choice::acquired(each));
    }
    for (int round = 0; round < 2000 && !HasFailure(); ++round) {
        crowd callers;
        begin_elsewhere(callers, [&all, round](const auto& has_begun) {
            has_begun();
            spin_for(round % 40 * 200);
            std::for_each(all.rbegin(), all.rend(), [](sync::semaphore& each) { each.release(); });
        });
        const any_result result = sync::wait_any(choices, in_ms(5000));
        callers.join();
        ASSERT_EQ(result.outcome, status::ok);
        EXPECT_EQ(count(all), crossing - 1) << "round " << round;
        drain(all);
    }
}

// As above. Every second choice is a unit: one ends, and the next one to run releases the token of
// the choice before.
TEST(wait_any, a_unit_that_has_ended_does_not_overrule_a_token) {
    runtime_scope runtime(2);
    tokens all;
    for (int round = 0; round < 2000 && !HasFailure(); ++round) {
        crowd callers;
        crowd units;
        std::vector<choice> choices;
        begin_elsewhere(callers, [&, round](const auto& has_begun) {
            core::pool& newest_first = sched::stream_at(1)->default_pool();
            for (std::size_t i = 0; i < crossing; ++i) {
                sync::semaphore* const next = i + 1 < crossing ? &all[i + 1] : nullptr;
                choices.push_back(choice::acquired(all[i]));
                choices.push_back(choice::finished(units.ult(
                    [next] {
                        if (next != nullptr) {
                            next->release();
                        }
                    },
                    technique::adaptive, &newest_first)));
            }
            has_begun();
            spin_for(round % 40 * 200);
        });
        const any_result result = sync::wait_any(choices, in_ms(5000));
        callers.join();
        units.join();
        ASSERT_EQ(result.outcome, status::ok);
        const bool is_token = result.index % 2 == 0;
        EXPECT_EQ(count(all), crossing - (is_token ? 2 : 1)) << "round " << round;
        drain(all);
    }
}

TEST(wait_any, a_closed_channel_ends_it) {
    on_one_and_two_streams([] {
        sync::channel<int> c(1);
        sync::eventual never;
        int got = 0;
        crowd callers;
        callers.ults(2, [&](int) {
            int mine = 0;
            const choice choices[] = {choice::set(never), choice::received(c.untyped(), &mine)};
            const any_result result = sync::wait_any(choices);
            EXPECT_EQ(result.outcome, status::closed);
            EXPECT_EQ(result.index, 1U);
        });
        core::yield();
        c.close();
        callers.join();
        const choice closed[] = {choice::sent(c.untyped(), &got)};
        EXPECT_EQ(sync::wait_any(closed).outcome, status::closed);
    });
}

TEST(join_until, joins_or_times_out) {
    on_one_and_two_streams([] {
        for (const technique how : suspending_techniques) {
            sync::latch gate(1);
            crowd callers;
            core::work_unit* u = callers.ult([&] { gate.wait(); }, how);
            EXPECT_EQ(sync::join_until(u, in_ms(2)), status::timed_out);
            EXPECT_EQ(sync::join_until(u, 0), status::timed_out);
            gate.count_down();
            EXPECT_EQ(sync::join_until(u, in_ms(5000)), status::ok);
            EXPECT_EQ(sync::join_until(u, 0), status::ok);
            callers.join();
        }
    });
}

TEST(join_until, from_os_threads) {
    runtime_scope runtime(2);
    sync::latch gate(1);
    crowd callers;
    core::work_unit* u =
        callers.ult([&] { gate.wait(); }, technique::full, sched::stream_at(1)->pinned());
    std::thread outside([&] {
        EXPECT_EQ(sync::join_until(u, in_ms(2)), status::timed_out);
        gate.count_down();
        EXPECT_EQ(sync::join_until(u, in_ms(5000)), status::ok);
    });
    outside.join();
    callers.join();
}

// The deadline and the end of the unit meet.
TEST(join_until, deadlines_race_with_ends) {
    on_one_and_two_streams([] {
        int joined = 0;
        for (int i = 0; i < 300; ++i) {
            crowd callers;
            core::work_unit* u = callers.ult([&] { sync::sleep_for(100'000); });
            joined +=
                sync::join_until(u, sync::deadline_after(60'000 + i % 100 * 2000)) == status::ok
                    ? 1
                    : 0;
            callers.join();
        }
        EXPECT_GT(joined, 0);
    });
}

TEST(join_until, refuses_what_join_refuses) {
    runtime_scope runtime(1);
    crowd callers;
    EXPECT_EQ(sync::join_until(nullptr, 0), status::invalid_handle);
    sync::latch gate(1);
    core::work_unit* u =
        callers.ult([&] { gate.wait(); }, technique::full, sched::this_stream()->pinned());
    callers.ult(
        [&] { EXPECT_EQ(sync::join_until(core::current_unit(), 0), status::would_deadlock); });
    callers.ult([&] { EXPECT_EQ(sync::join_until(u, in_ms(1)), status::cannot_suspend); },
                technique::run_to_completion);
    core::work_unit* joiner =
        callers.ult([&] { EXPECT_EQ(sync::join_until(u, in_ms(5000)), status::ok); },
                    technique::full, sched::this_stream()->pinned());
    core::yield();
    core::yield();
    EXPECT_EQ(sync::join_until(u, in_ms(1)), status::already_joined);
    gate.count_down();
    EXPECT_EQ(sync::join_until(joiner, in_ms(5000)), status::ok);
    callers.join();
}

TEST(wait_any, refuses_units_that_cannot_be_waited_for) {
    runtime_scope runtime(1);
    crowd callers;
    sync::latch gate(1);
    core::pool* const here = sched::this_stream()->pinned();
    core::work_unit* u = callers.ult([&] { gate.wait(); }, technique::full, here);
    sync::eventual never;
    callers.ult([&] { EXPECT_EQ(sync::join_until(u, in_ms(5000)), status::ok); }, technique::full,
                here);
    core::yield();
    core::yield();
    const sync::choice second[] = {sync::choice::set(never), sync::choice::finished(u)};
    // somebody waits for it already
    const sync::any_result result = sync::wait_any(second, in_ms(1000));
    EXPECT_EQ(result.outcome, status::already_joined);
    EXPECT_EQ(result.index, 1U);
    const sync::choice oneself[] = {sync::choice::set(never),
                                    sync::choice::finished(core::current_unit())};
    EXPECT_EQ(sync::wait_any(oneself, in_ms(1000)).outcome, status::would_deadlock);
    gate.count_down();
    callers.join();
}

TEST(join_until, refuses_what_was_freed) {
    runtime_scope runtime(1);
    core::worker& w = core::this_worker();
    core::work_unit* u = core::prepare(
        w, *sched::this_stream()->pinned(), [](void*) {}, nullptr,
        core::unit_attributes(technique::full));
    core::dispose(&w, u);
    EXPECT_EQ(sync::join_until(u, 0), status::freed_handle);
    EXPECT_EQ(core::join(u), status::freed_handle);
}

// The unit is another stream's, so its opener is waited for; and then something else happens first.
TEST(wait_any, of_a_unit_that_is_confined_elsewhere_ends_by_the_other_choice) {
    runtime_scope runtime(2);
    for (int round = 0; round < 20; ++round) {
        sync::eventual first;
        std::atomic<bool> listed{false};
        std::atomic<bool> may_end{false};
        std::atomic<bool> has_waited{false};  // what it waits for is disposed of then
        crowd callers;
        core::work_unit* u = callers.ult(
            [&] {
                while (!may_end.load()) {
                    core::yield();
                }
            },
            technique::lazy_stack, sched::this_stream()->pinned());
        sync::any_result result{};
        callers.thread([&] {
            const sync::choice both[] = {sync::choice::set(first), sync::choice::finished(u)};
            listed = true;
            result = sync::wait_any(both, round % 2 == 0 ? sync::no_deadline : in_ms(5000));
            has_waited = true;
        });
        while (!listed.load()) {
            core::yield();
        }
        if (round % 3 == 0) {
            EXPECT_TRUE(wait_for([&] { return !first.waiters().empty(); }));
        }
        EXPECT_EQ(first.set(), status::ok);
        while (round % 3 == 0 && !first.waiters().empty()) {
            core::yield();
        }
        may_end = true;
        while (!has_waited.load()) {
            core::yield();
        }
        callers.join();
        EXPECT_EQ(result.outcome, status::ok);
    }
}

}  // namespace
}  // namespace lazult::testing
