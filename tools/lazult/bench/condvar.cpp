// SPDX-License-Identifier: BSD-3-Clause
// Two ULTs take turns over one mutex and one condition variable. One operation is a round trip: two
// hand-overs.
#include <array>
#include <string>

#include "lazult/sync/sync.hpp"
#include "tools/lazult/bench/catalogue.hpp"
#include "tools/lazult/bench/pools.hpp"
#include "tools/lazult/bench/stopwatch.hpp"

namespace lazult::tool {
namespace {

struct table {
    sync::mutex lock;
    sync::condition changed;
    int turn = 0;
    std::uint64_t round_trips;
    std::uint64_t turns_taken = 0;
};

struct player {
    table* at;
    int index;
};

void play(void* argument) {
    const player me = *static_cast<player*>(argument);
    table& t = *me.at;
    for (std::uint64_t i = 0; i < t.round_trips; ++i) {
        t.lock.lock();
        while (t.turn != me.index) {
            t.changed.wait(t.lock);
        }
        t.turn = 1 - me.index;
        ++t.turns_taken;
        t.changed.signal();
        t.lock.unlock();
    }
}

sample run(core::pool& home, core::technique how, std::uint64_t round_trips) {
    table t;
    t.round_trips = round_trips;
    std::array<player, 2> players{player{&t, 0}, player{&t, 1}};
    std::array<core::work_unit*, 2> units{};
    const core::unit_attributes attributes(how);
    core::worker& w = core::this_worker();
    const instant begin = instant::now();
    for (std::size_t i = 0; i < 2; ++i) {
        units[i] = core::prepare(w, home, play, &players[i], attributes);
        require_memory(units[i]);
        core::launch(w, units[i]);
    }
    core::join_many(units.data(), units.size());
    sample taken = per_operation(begin, static_cast<double>(round_trips));
    taken.extras = {{"alone", process_has_one_thread()}};
    for (core::work_unit* u : units) {
        core::dispose(core::this_worker_or_null(), u);
    }
    require(t.turns_taken == 2 * round_trips, "turns got lost");
    return taken;
}

configuration row_of(unsigned streams, pool_kind pool, core::technique how) {
    configuration c;
    c.benchmark = "condvar";
    c.technique = base::name(how);
    c.suspend_percent = 100;
    c.streams = streams;
    c.details = {{"pool", name(pool)}};
    c.settings = settings_with(streams);
    c.run = [pool, how](std::uint64_t round_trips) {
        sample taken;
        with_pool(pool, [&](core::pool& home) { taken = run(home, how, round_trips); });
        return taken;
    };
    return c;
}

}  // namespace

rows condvar_rows(const bench_options& options) {
    rows result;
    const auto techniques = techniques_that_wait(options, "condvar");
    for (unsigned streams : options.streams_or(1)) {
        for (pool_kind pool : options.pools) {
            for (core::technique how : techniques) {
                result.push_back(row_of(streams, pool, how));
            }
        }
    }
    return result;
}

}  // namespace lazult::tool
