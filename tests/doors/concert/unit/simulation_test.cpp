// SPDX-License-Identifier: BSD-3-Clause
// Simulated ranks: the same results as real ones, the same clocks each time, and costs as the
// tables say.
#include "doors/concert/src/simulation/process.hpp"

#include <lazult/error.hpp>
#include <lazult/pool.hpp>
#include <lazult/scheduler.hpp>
#include <lazult/this_thread.hpp>
#include <lazult/thread.hpp>
#include <lazult_concert/array.hpp>
#include <lazult_concert/cache.hpp>
#include <lazult_concert/remote_call.hpp>
#include <lazult_concert_simulation.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace lazult::concert {
namespace {

constexpr simulated_version base{false, false};
constexpr simulated_version stack{true, false};
constexpr simulated_version pull{false, true};
constexpr simulated_version stack_pull{true, true};
constexpr simulated_version all_versions[] = {base, stack, pull, stack_pull};

struct counter {
    long sum = 0;
    long add(long n) {
        spend(100);
        return sum += n;
    }
    long value() const { return sum; }
};

outcome<long> sim_fib(long n) {
    if (n < 2) {
        return n;
    }
    return all(call(sim_fib, n - 1), call(sim_fib, n - 2)).then([](long a, long b) {
        return a + b;
    });
}

// Half of it runs on the next rank.
outcome<long> spread_fib(long n, int rank, int ranks) {
    if (n < 4) {
        return call(sim_fib, n);
    }
    const int next = (rank + 1) % ranks;
    return all(call(on(next), spread_fib, n - 1, next, ranks), call(spread_fib, n - 2, rank, ranks))
        .then([](long a, long b) { return a + b; });
}

// Each rank adds to each counter, three times at once.
outcome<void> add_three(std::int64_t i, global_ptr<counter> to) {
    return all(call(&counter::add, to, i), call(&counter::add, to, i), call(&counter::add, to, i))
        .then([](long, long, long) { spend(500); });
}
outcome<void> add_to(std::int64_t rank, std::vector<global_ptr<counter>> to, std::int64_t n) {
    return concert::each(0, n, add_three, to[static_cast<std::size_t>(rank)]);
}
outcome<void> add_to_all(std::vector<global_ptr<counter>> to, std::int64_t n) {
    const auto ranks = static_cast<std::int64_t>(to.size());
    return concert::each(0, ranks, add_to, std::move(to), n);
}

struct result {
    simulated_run run;
    std::vector<long> sums;
};

result run_counters(int ranks, simulated_version version, std::int64_t n = 20) {
    result found;
    std::vector<global_ptr<counter>> counters(static_cast<std::size_t>(ranks));
    found.sums.resize(counters.size());
    found.run = simulate(machine::t3d(), ranks, version, [&](simulated_rank& me) {
        const auto mine = static_cast<std::size_t>(me.rank());
        counters[mine] = run(create<counter>);
        me.quiesce();
        run(add_to_all, counters, n);
        me.quiesce();
        found.sums[mine] = run(&counter::value, counters[mine]);
        run(destroy, counters[mine]);
    });
    return found;
}

void expect_equal(const method_counters& a, const method_counters& b) {
    for (const auto field : method_fields) {
        EXPECT_EQ(a.*field, b.*field);
    }
}
void expect_equal(const simulated_run& a, const simulated_run& b) {
    EXPECT_EQ(a.elapsed_ns, b.elapsed_ns);
    for (std::size_t i = 0; i < a.ranks.size(); ++i) {
        EXPECT_EQ(a.ranks[i].clock_ns, b.ranks[i].clock_ns);
        EXPECT_EQ(a.ranks[i].blocked_ns, b.ranks[i].blocked_ns);
        EXPECT_EQ(a.ranks[i].bytes, b.ranks[i].bytes);
        expect_equal(a.ranks[i].methods, b.ranks[i].methods);
    }
}

TEST(Simulation, GivesTheSameClocksAndCountsEachTime) {
    for (const simulated_version& version : all_versions) {
        const result first = run_counters(8, version);
        const result second = run_counters(8, version);
        expect_equal(first.run, second.run);
        EXPECT_GT(first.run.elapsed_ns, 0);
    }
}

TEST(Simulation, GivesTheSameResultsInEachVersion) {
    for (const int ranks : {1, 2, 7}) {
        for (const simulated_version& version : all_versions) {
            const result found = run_counters(ranks, version);
            for (const long sum : found.sums) {
                EXPECT_EQ(sum, 3L * ranks * (19 * 20 / 2));
            }
        }
    }
}

TEST(Simulation, CallsGoFromRankToRank) {
    for (const simulated_version& version : all_versions) {
        long found = 0;
        simulate(machine::t3d(), 5, version, [&](simulated_rank& me) {
            if (me.rank() == 2) {
                found = run(spread_fib, 15L, me.rank(), me.size());
            }
        });
        EXPECT_EQ(found, 610);
    }
}

TEST(Simulation, ManyRanks) {
    const result found = run_counters(128, stack_pull, 2);
    for (const long sum : found.sums) {
        EXPECT_EQ(sum, 3L * 128);
    }
}

// --- what things cost

// Rank 0 sends one message to rank 1.
double time_of_message(simulated_version version, std::size_t bytes) {
    return simulate(machine::t3d(), 2, version,
                    [&](simulated_rank& me) {
                        if (me.rank() == 0) {
                            me.send(1, bytes);
                        }
                    })
        .elapsed_ns;
}

TEST(SimulatedCosts, AMessageTakesTheLatencyOfThePaper) {
    const std::vector<std::pair<std::size_t, double>> table_2{
        {16, 6160}, {32, 6250}, {64, 7190}, {128, 8070}, {256, 8650}};
    for (const auto& [bytes, ns] : table_2) {
        EXPECT_NEAR(time_of_message(stack, bytes), ns, 1) << bytes;
    }
    EXPECT_NEAR(time_of_message(stack, 48), (6250 + 7190) / 2.0, 1);
    EXPECT_NEAR(time_of_message(pull, 1024), 6310 + 3590 + 30'180, 1);
}

TEST(SimulatedCosts, AHeapCallCostsWhatTableFourSays) {
    constexpr double heap_call_ns = 320 * 1000.0 / 150;
    const simulated_run in_contexts =
        simulate(machine::t3d(), 1, base, [](simulated_rank&) { run(sim_fib, 10L); });
    const auto calls = static_cast<double>(in_contexts.sum.methods.heap_calls);
    EXPECT_EQ(calls, 177);  // of fib(10)
    EXPECT_NEAR(in_contexts.elapsed_ns, calls * heap_call_ns, 1);
    const simulated_run on_stack = simulate(machine::t3d(), 1, stack, [](simulated_rank&) {
        run(sim_fib, 10L);
        spend_calls(177);
    });
    EXPECT_EQ(on_stack.sum.methods.contexts, 0U);
    EXPECT_NEAR(on_stack.elapsed_ns, 177 * 8 * 1000.0 / 150, 200);
}

TEST(SimulatedCosts, CallsToAnotherRankAreCounted) {
    global_ptr<counter> there;
    const simulated_run found = simulate(machine::t3d(), 2, stack, [&](simulated_rank& me) {
        if (me.rank() == 1) {
            there = run(create<counter>);
        }
        me.quiesce();
        if (me.rank() == 0) {
            run([](global_ptr<counter> c) { return add_three(1, c); }, there);
        }
    });
    EXPECT_EQ(found.ranks[0].methods.sent_calls, 3U);
    EXPECT_EQ(found.ranks[1].methods.served, 3U);
    EXPECT_EQ(found.ranks[0].sent, 3U);
    EXPECT_EQ(found.ranks[1].sent, 3U);
    EXPECT_GE(found.ranks[0].methods.contexts, 1U);
    EXPECT_EQ(found.ranks[0].spent_ns, 500);
    EXPECT_EQ(found.ranks[1].spent_ns, 300);
}

// Rank 0 sends many messages to a rank that computes.
rank_report send_to_busy(simulated_version version) {
    machine few = machine::t3d();
    few.ring_slots = 4;
    return simulate(few, 2, version,
                    [](simulated_rank& me) {
                        if (me.rank() == 0) {
                            for (int i = 0; i < 10; ++i) {
                                me.send(1, 16);
                            }
                        } else {
                            spend(1e6);
                        }
                    })
        .ranks[0];
}

TEST(SimulatedCosts, ASenderWaitsForTheSlotsOfAReceiverThatComputes) {
    const rank_report pushed = send_to_busy(stack);
    EXPECT_GT(pushed.blocked_ns, 900'000);
    EXPECT_GE(pushed.blocked, 1U);
    const rank_report pulled = send_to_busy(stack_pull);
    EXPECT_EQ(pulled.blocked_ns, 0);
    EXPECT_NEAR(pulled.clock_ns, 10 * 1490, 1);
}

TEST(SimulatedCosts, AReceiverAcceptsOnePushedMessageAtATime) {
    std::vector<double> cost(3);
    simulate(machine::t3d(), 3, stack, [&](simulated_rank& me) {
        if (me.rank() != 0) {
            cost[static_cast<std::size_t>(me.rank())] = me.send(0, 1024);
        }
    });
    EXPECT_NEAR(cost[1], 14'650, 1);
    EXPECT_NEAR(cost[2], 14'650 + 12.7 * 1024, 1);
}

TEST(SimulatedCosts, APullingSenderWaitsForItsPool) {
    machine small = machine::t3d();
    small.pool_bytes = std::size_t{128} << 10;  // little more than the longest message
    const simulated_run found = simulate(small, 2, pull, [](simulated_rank& me) {
        if (me.rank() == 0) {
            for (int i = 0; i < 2000; ++i) {
                me.send(1, 16);
            }
        } else {
            spend(1e7);
        }
    });
    EXPECT_EQ(found.ranks[0].sent, 2000U);
    EXPECT_GT(found.ranks[0].blocked_ns, 1e6);
}

// --- what a run depends on

TEST(Simulation, DependsOnTheOrderOfReadyContextsAndOnTheVersion) {
    const result oldest_first = run_counters(4, base);
    newest_context_first = true;
    const result newest_first = run_counters(4, base);
    newest_context_first = false;
    EXPECT_EQ(oldest_first.sums, newest_first.sums);
    std::size_t different = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        const double a = oldest_first.run.ranks[i].idle_ns;
        different += a != newest_first.run.ranks[i].idle_ns ? 1 : 0;
    }
    EXPECT_GT(different, 0U);
    const result on_stack = run_counters(4, stack);
    EXPECT_LT(on_stack.run.elapsed_ns, oldest_first.run.elapsed_ns);
    EXPECT_EQ(on_stack.run.sum.methods.heap_calls, 0U);
}

TEST(Simulation, RanksWaitForEachOtherAsOftenAsEachWants) {
    std::vector<double> after(3);
    simulate(machine::t3d(), 3, stack, [&](simulated_rank& me) {
        const auto mine = static_cast<std::size_t>(me.rank());
        if (me.rank() == 0) {
            return;  // serves the others all the same
        }
        spend(1000.0 * me.rank());
        me.quiesce();
        after[mine] = me.now_ns();
        EXPECT_EQ(run(on(0), [](long n) { return n + 1; }, 41L), 42);
    });
    EXPECT_EQ(after[1], 2000);
    EXPECT_EQ(after[2], 2000);
}

// --- loops that give way

machine with_slices() {
    machine m = machine::t3d();
    m.slice_ns = 20'000;
    return m;
}
// Rank 1 computes for a millisecond in a loop, and rank 0 asks it for something meanwhile.
double served_after_ns(const machine& machine_used, simulated_version version) {
    double asked_ns = 0;
    double served_ns = 0;
    simulate(machine_used, 2, version, [&](simulated_rank& me) {
        if (me.rank() == 1) {
            run([] { return concert::each(0, 100, [](std::int64_t) { spend(10'000); }); });
        } else {
            asked_ns = me.now_ns();
            run(on(1), [] { spend(0); });
            served_ns = me.now_ns();
        }
    });
    return served_ns - asked_ns;
}

TEST(Simulation, ALoopLetsMessagesComeIn) {
    EXPECT_LT(served_after_ns(with_slices(), stack), 100'000);
    EXPECT_LT(served_after_ns(with_slices(), stack_pull), 100'000);
    EXPECT_GT(served_after_ns(machine::t3d(), stack), 900'000);
}

// The outer loop begins no other inner one, and makes few contexts, until others have run.
TEST(Simulation, ALoopOfLoopsLetsMessagesComeIn) {
    double served_ns = 0;
    const simulated_run found = simulate(with_slices(), 2, stack, [&](simulated_rank& me) {
        if (me.rank() == 1) {
            run([] {
                return concert::each(0, 100, [](std::int64_t) -> outcome<void> {
                    return concert::each(0, 100, [](std::int64_t) { spend(1'000); });
                });
            });
        } else {
            run(on(1), [] { spend(0); });
            served_ns = me.now_ns();
        }
    });
    EXPECT_LT(served_ns, 100'000);
    EXPECT_LT(found.sum.methods.contexts, 1'000U);  // 10 ms are 500 slices
}

TEST(Simulation, ALoopOfACoroutineLetsMessagesComeIn) {
    double served_ns = 0;
    simulate(with_slices(), 2, stack_pull, [&](simulated_rank& me) {
        if (me.rank() == 1) {
            run([]() -> task<void> {
                for (int i = 0; i < 100; ++i) {
                    co_await call([] { spend(10'000); });
                }
            });
        } else {
            run(on(1), [] { spend(0); });
            served_ns = me.now_ns();
        }
    });
    EXPECT_LT(served_ns, 100'000);
}

TEST(Simulation, TheFirstExceptionOfALoopThatGivesWayIsItsOwn) {
    std::string words;
    simulate(with_slices(), 2, stack, [&](simulated_rank& me) {
        if (me.rank() != 0) {
            return;
        }
        try {
            run([] {
                return concert::each(0, 100, [](std::int64_t i) -> outcome<void> {
                    if (i == 0) {
                        return call(on(1), [] { throw std::runtime_error("first"); });
                    }
                    if (i == 99) {
                        throw std::runtime_error("second");
                    }
                    return call([] { spend(10'000); });
                });
            });
        } catch (const std::exception& e) {
            words = e.what();
        }
    });
    EXPECT_NE(words.find("first"), std::string::npos) << words;
}

// A reader of the object may not come in while the writer's loop has given way.
struct guarded {
    bool is_whole = true;
    outcome<void> write() {
        is_whole = false;
        return call([] { return concert::each(0, 100, [](std::int64_t) { spend(10'000); }); })
            .keep(this)
            .then([](guarded* self) { self->is_whole = true; });
    }
    bool read() const { return is_whole; }
};

TEST(Simulation, AnObjectStaysItsWritersWhileALoopGivesWay) {
    for (const simulated_version& version : all_versions) {
        global_ptr<guarded> it;
        std::vector<bool> seen;
        double read_ns = 0;
        simulate(with_slices(), 2, version, [&](simulated_rank& me) {
            if (me.rank() == 1) {
                it = run(create<guarded>);
            }
            me.quiesce();
            if (me.rank() == 1) {
                run(&guarded::write, it);
            } else {
                me.extract();
                spend(100'000);  // the writer has begun
                seen.push_back(run(&guarded::read, it));
                read_ns = me.now_ns();
            }
            me.quiesce();
            if (me.rank() == 1) {
                run(destroy, it);
            }
        });
        EXPECT_EQ(seen, std::vector<bool>{true});
        EXPECT_GT(read_ns, 1'000'000);
    }
}

// --- what belongs to each rank

TEST(Simulation, EachRankRemembersResultsForItself) {
    global_ptr<counter> of;
    const simulated_run found = simulate(machine::t3d(), 3, stack_pull, [&](simulated_rank& me) {
        if (me.rank() == 0) {
            of = run(create<counter>);
        }
        me.quiesce();
        const auto ask = [](global_ptr<counter> p) -> outcome<long> {
            return call_cached<&counter::value>(p);
        };
        if (me.rank() == 1) {
            EXPECT_EQ(run(ask, of), 0);
            run(&counter::add, of, 5L);
            EXPECT_EQ(run(ask, of), 0);
        }
        me.quiesce();
        if (me.rank() == 2) {
            EXPECT_EQ(run(ask, of), 5);
            forget_cached();
        }
        me.quiesce();
        if (me.rank() == 1) {
            EXPECT_EQ(run(ask, of), 0);
        }
    });
    EXPECT_EQ(found.ranks[1].methods.cache_hits, 2U);
    EXPECT_EQ(found.ranks[1].methods.cache_misses, 1U);
    EXPECT_EQ(found.ranks[2].methods.cache_misses, 1U);
}

outcome<long> value_at(global_array<counter> a, std::int64_t i) {
    return call(&counter::value, a[static_cast<std::size_t>(i)]);
}

TEST(Simulation, ArraysAreSpreadOverTheRanks) {
    long sum = 0;
    simulate(machine::t3d(), 4, stack, [&](simulated_rank& me) {
        if (me.rank() != 1) {
            return;
        }
        const auto all = run(create_array<counter>, 40, spread::cyclic);
        std::vector<int> at(4);
        for (std::size_t i = 0; i < 40; ++i) {
            ++at[static_cast<std::size_t>(all[i].rank())];
        }
        EXPECT_EQ(at, std::vector<int>(4, 10));
        run(for_each_element, all, &counter::add, 2L);
        for (std::int64_t i = 0; i < 40; ++i) {
            sum += run(on(static_cast<int>(i % 4)), value_at, all, i);
        }
        run(destroy_array, all);
    });
    EXPECT_EQ(sum, 80);
}

// --- errors

TEST(Simulation, RefusesWhatCannotBe) {
    const auto nothing = [](simulated_rank&) {};
    EXPECT_THROW(simulate(machine::t3d(), 0, stack, nothing), error);
    EXPECT_THROW(simulate(machine(), 2, stack, nothing), error);
    simulate(machine::t3d(), 2, stack, [&](simulated_rank& me) {
        EXPECT_THROW(me.send(2, 16), error);
        EXPECT_THROW(run(on(2), [] { return 1; }), error);
        EXPECT_THROW(simulate(machine::t3d(), 2, stack, nothing), error);
    });
    machine backwards = machine::t3d();
    backwards.slice_ns = -1;
    EXPECT_THROW(simulate(backwards, 2, stack, nothing), error);
    EXPECT_FALSE(is_simulated());
    spend(1e9);  // no effect here
}

long sum_of(std::vector<long> numbers) {
    long sum = 0;
    for (const long each : numbers) {
        sum += each;
    }
    return sum;
}

TEST(Simulation, LongMessagesTakeSeveralSlots) {
    for (const simulated_version& version : all_versions) {
        simulate(machine::t3d(), 2, version, [](simulated_rank& me) {
            if (me.rank() == 0) {
                EXPECT_EQ(run(on(1), sum_of, std::vector<long>(8000, 2)), 16'000);
                EXPECT_THROW(run(on(1), sum_of, std::vector<long>(9000, 2)), error);
            }
        });
    }
    machine few = machine::t3d();
    few.ring_slots = 8;
    simulate(few, 2, stack, [](simulated_rank& me) {
        if (me.rank() == 0) {
            EXPECT_EQ(run(on(1), sum_of, std::vector<long>(400, 2)), 800);
            EXPECT_THROW(run(on(1), sum_of, std::vector<long>(8000, 2)), error);
        }
    });
}

TEST(Simulation, ThrowsWhatAProgramThrew) {
    EXPECT_THROW(simulate(machine::t3d(), 3, stack,
                          [](simulated_rank& me) {
                              if (me.rank() == 1) {
                                  throw std::runtime_error("enough");
                              }
                          }),
                 std::runtime_error);
    EXPECT_EQ(run_counters(2, stack, 1).sums, std::vector<long>(2, 0));
}

TEST(Simulation, AnErrorOfAnotherRankIsARemoteError) {
    simulate(machine::t3d(), 2, stack_pull, [](simulated_rank& me) {
        if (me.rank() == 0) {
            EXPECT_THROW(run(on(1), [] { throw std::runtime_error("there"); }), remote_error);
        }
    });
}

// Other ranks share the thread, and may begin meanwhile.
TEST(Simulation, AProgramMaySuspendOutsideOfMethods) {
    const simulated_run done = simulate(machine::t3d(), 3, stack_pull, [](simulated_rank& me) {
        this_thread::yield();
        this_thread::sleep_for(std::chrono::milliseconds(1));
        EXPECT_TRUE(is_simulated());
        EXPECT_EQ(own_rank(), static_cast<std::uint32_t>(me.rank()));
        const int next = (me.rank() + 1) % 3;
        EXPECT_EQ(run(on(next), [] { return own_rank(); }), static_cast<std::uint32_t>(next));
    });
    EXPECT_EQ(done.sum.methods.sent_calls, 3U);
}

TEST(Simulation, AMethodMayNotSuspend) {
    const auto sleeps = [] { this_thread::sleep_for(std::chrono::milliseconds(1)); };
    simulate(machine::t3d(), 2, stack_pull, [&](simulated_rank& me) {
        try {
            run(sleeps);
            ADD_FAILURE() << "rank " << me.rank() << " slept";
        } catch (const error& e) {
            EXPECT_EQ(e.code(), errc::cannot_suspend);
        }
        EXPECT_EQ(run(sim_fib, 5L), 5);
    });
}

TEST(Simulation, RanksEndIfNotAllCanBeMade) {
    turns order(3, [] {});
    pool ready(pool_kind::private_fifo);
    const execution_stream alone(scheduler_kind::basic, {&ready});
    std::atomic<int> called_off = 0;
    const auto begin = [&](std::size_t rank) { called_off += order.begin(rank) ? 0 : 1; };
    thread_attributes there;
    there.where = &ready;
    thread first(there, [&] { begin(0); });
    thread second(there, [&] { begin(1); });
    order.call_off(2);
    first.join();
    second.join();
    EXPECT_EQ(called_off, 2);
}

TEST(SimulationDeathTest, ReportsARankThatWaitsForEver) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto waits = [](caller<int> by) {
        static_cast<void>(by.take());
        return by.given();
    };
    EXPECT_DEATH(simulate(machine::t3d(), 2, stack,
                          [&](simulated_rank& me) {
                              if (me.rank() == 1) {
                                  run(waits);
                              }
                          }),
                 "rank 1 waits, and no rank can go on");
}

}  // namespace
}  // namespace lazult::concert
