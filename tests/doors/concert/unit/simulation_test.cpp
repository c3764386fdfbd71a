// SPDX-License-Identifier: BSD-3-Clause
// Simulated ranks: the same results as real ones, the same clocks each time, and costs as the
// tables say.
#include "doors/concert/src/simulation/process.hpp"

#include <lazult/error.hpp>
#include <lazult_concert/array.hpp>
#include <lazult_concert/remote_call.hpp>
#include <lazult_concert_simulation.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <stdexcept>
#include <string>
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

}  // namespace
}  // namespace lazult::concert
