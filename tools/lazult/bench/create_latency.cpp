// SPDX-License-Identifier: BSD-3-Clause
// How long the unluckiest creations take: memory that is touched for the first time, guards, new
// slabs. Each sample comes from a fresh process, or recycled memory would hide all that. The
// clock's own 20 to 30 ns are in the figures.
#include <algorithm>
#include <vector>

#include "tools/lazult/bench/catalogue.hpp"
#include "tools/lazult/bench/statistics.hpp"
#include "tools/lazult/bench/stopwatch.hpp"

namespace lazult::tool {
namespace {

constexpr std::uint64_t default_units = 100'000;

void touch(void* done) { ++*static_cast<std::uint64_t*>(done); }

std::vector<double> time_creations(std::vector<core::work_unit*>& units, core::technique how,
                                   std::uint64_t& done) {
    const core::unit_attributes attributes(how);
    core::pool& home = *sched::this_stream()->pinned();
    core::worker& w = core::this_worker();
    std::vector<double> latencies(units.size(), 0);
    for (std::size_t i = 0; i < units.size(); ++i) {
        const std::int64_t begin = os::now_ns();
        core::work_unit* u = core::prepare(w, home, touch, &done, attributes);
        require_memory(u);
        core::launch(w, u);
        latencies[i] = static_cast<double>(os::now_ns() - begin);
        units[i] = u;
    }
    return latencies;
}

sample run(std::uint64_t n, core::technique how) {
    std::uint64_t done = 0;
    std::vector<core::work_unit*> units(n, nullptr);
    const instant begin = instant::now();
    std::vector<double> latencies = time_creations(units, how, done);
    sample taken = per_operation(begin, static_cast<double>(n));
    for (core::work_unit* u : units) {
        require(core::join(u) == base::status::ok, "a unit cannot be joined");
        core::dispose(core::this_worker_or_null(), u);
    }
    require(done == n, "units got lost");
    std::sort(latencies.begin(), latencies.end());
    taken.extras = {{"mean", taken.value},
                    {"p50", quantile(latencies, 0.5)},
                    {"p99", quantile(latencies, 0.99)},
                    {"p99_99", quantile(latencies, 0.9999)},
                    {"worst", latencies.back()}};
    taken.value = quantile(latencies, 0.999);
    taken.cycles = 0;
    return taken;
}

}  // namespace

rows create_latency_rows(const bench_options& options) {
    rows result;
    const std::uint64_t n = options.n_or(default_units);
    for (core::technique how : options.techniques) {
        configuration c;
        c.benchmark = "create-latency";
        c.technique = base::name(how);
        c.settings = settings_with(1);
        c.details = {
            {"statistic", std::string("p99.9")}, {"n", n}, {"pool", name(pool_kind::private_fifo)}};
        c.calibrated = false;
        c.isolated_arguments = {"create-latency", "--n", std::to_string(n), "--technique",
                                std::string(base::name(how))};
        c.run = [n, how](std::uint64_t) { return run(n, how); };
        result.push_back(std::move(c));
    }
    return result;
}

}  // namespace lazult::tool
