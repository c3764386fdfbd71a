// SPDX-License-Identifier: BSD-3-Clause
// Two ULTs that give way to each other; the third flow, their creator, waits in join. One operation
// is one switch.
#include <array>

#include "tools/lazult/bench/catalogue.hpp"
#include "tools/lazult/bench/pools.hpp"
#include "tools/lazult/bench/stopwatch.hpp"

namespace lazult::tool {
namespace {

struct pair_of_ults {
    std::uint64_t iterations;
    std::array<core::work_unit*, 2> units{};
    std::uint64_t yields = 0;
    std::uint64_t alternations = 0;
    int last = -1;
};

struct side {
    pair_of_ults* both;
    int index;
};

template <bool ByName>
void give_way(void* argument) {
    const side me = *static_cast<side*>(argument);
    core::work_unit* other = me.both->units[static_cast<std::size_t>(1 - me.index)];
    for (std::uint64_t i = 0; i < me.both->iterations; ++i) {
        if constexpr (ByName) {
            core::yield_to(other);
        } else {
            core::yield();
        }
    }
    me.both->yields += me.both->iterations;
}

// As give_way, and notes whether control really alternates.
template <bool ByName>
void give_way_checked(void* argument) {
    const side me = *static_cast<side*>(argument);
    core::work_unit* other = me.both->units[static_cast<std::size_t>(1 - me.index)];
    for (std::uint64_t i = 0; i < me.both->iterations; ++i) {
        me.both->alternations += me.both->last == 1 - me.index ? 1 : 0;
        me.both->last = me.index;
        if constexpr (ByName) {
            core::yield_to(other);
        } else {
            core::yield();
        }
    }
    me.both->yields += me.both->iterations;
}

sample run_pair(core::pool& home, core::technique how, core::entry_function entry,
                pair_of_ults& both) {
    const core::unit_attributes attributes(how);
    std::array<side, 2> sides{side{&both, 0}, side{&both, 1}};
    core::worker& w = core::this_worker();
    for (std::size_t i = 0; i < 2; ++i) {
        both.units[i] = core::prepare(w, home, entry, &sides[i], attributes);
        require_memory(both.units[i]);
    }
    const instant begin = instant::now();
    core::launch(w, both.units[0]);
    core::launch(w, both.units[1]);
    core::join_many(both.units.data(), both.units.size());
    const sample taken = per_operation(begin, static_cast<double>(2 * both.iterations));
    for (core::work_unit* u : both.units) {
        core::dispose(core::this_worker_or_null(), u);
    }
    require(both.yields == 2 * both.iterations, "yields got lost");
    return taken;
}

template <bool ByName>
sample run(core::pool& home, core::technique how, std::uint64_t iterations) {
    constexpr std::uint64_t probes = 64;
    pair_of_ults probe{probes};
    run_pair(home, how, give_way_checked<ByName>, probe);
    // Once in a while a scheduler may look elsewhere first; what never alternates measures nothing.
    require(probe.alternations >= probes, "two ULTs that yield do not take turns");
    pair_of_ults both{iterations};
    return run_pair(home, how, give_way<ByName>, both);
}

template <bool ByName>
sample run_on(pool_kind pool, core::technique how, std::uint64_t iterations) {
    sample taken;
    with_pool(pool, [&](core::pool& home) { taken = run<ByName>(home, how, iterations); });
    return taken;
}

template <bool ByName>
rows make(const bench_options& options) {
    rows result;
    for (pool_kind pool : options.pools) {
        for (core::technique how : techniques_that_wait(options, ByName ? "yield-to" : "yield")) {
            configuration c;
            c.benchmark = ByName ? "yield-to" : "yield";
            c.technique = base::name(how);
            c.suspend_percent = 100;
            c.details = {{"pool", name(pool)}, {"n", std::uint64_t{2}}};
            c.settings = settings_with(1);
            c.run = [pool, how](std::uint64_t iterations) {
                return run_on<ByName>(pool, how, iterations);
            };
            result.push_back(std::move(c));
        }
    }
    return result;
}

}  // namespace

rows yield_rows(const bench_options& options) { return make<false>(options); }
rows yield_to_rows(const bench_options& options) { return make<true>(options); }

}  // namespace lazult::tool
