// SPDX-License-Identifier: BSD-3-Clause
// CPU time that streams with nothing to do take, in percent of a processor and for each stream.
#include <time.h>

#include <chrono>
#include <thread>

#include "tools/lazult/bench/catalogue.hpp"
#include "tools/lazult/bench/stopwatch.hpp"

namespace lazult::tool {
namespace {

double process_cpu_ns() {
    timespec used{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return static_cast<double>(used.tv_sec) * 1e9 + static_cast<double>(used.tv_nsec);
}

// The first stream idles too: its ULT is blocked until an OS thread of ours has slept.
sample run(unsigned streams, double ms) {
    core::work_unit* self = core::current_unit();
    std::thread alarm([self, ms] {
        std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(ms));
        core::unpark(self);
    });
    const instant begin = instant::now();
    const double cpu_before = process_cpu_ns();
    core::park();
    const double cpu = process_cpu_ns() - cpu_before;
    sample taken = per_operation(begin, 1);
    alarm.join();
    taken.value = 100 * cpu / taken.elapsed_ns / streams;
    taken.cycles = 0;
    return taken;
}

}  // namespace

rows idle_rows(const bench_options& options) {
    rows result;
    for (unsigned streams : options.streams_or(2)) {
        configuration c;
        c.benchmark = "idle";
        c.streams = streams;
        c.unit = "percent";
        c.settings = settings_with(streams);
        c.details = {{"ms", options.idle_ms}};
        c.calibrated = false;
        c.run = [streams, ms = options.idle_ms](std::uint64_t) { return run(streams, ms); };
        result.push_back(std::move(c));
    }
    return result;
}

}  // namespace lazult::tool
