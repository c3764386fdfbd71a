// SPDX-License-Identifier: BSD-3-Clause
// What tracing costs: fork-join in two fresh processes, one of which traces, and the quotient of
// their times.
#include <fmt/core.h>

#include <utility>
#include <vector>

#include "tools/lazult/bench/catalogue.hpp"
#include "tools/lazult/bench/isolated.hpp"

namespace lazult::tool {
namespace {

using words = std::vector<std::string>;

words arguments_of(const configuration& row, const bench_options& options) {
    words all{"tracing",
              "--technique",
              row.technique,
              "--suspend",
              fmt::format("{}", row.suspend_percent),
              "--streams",
              fmt::format("{}", row.streams),
              "--min-ms",
              fmt::format("{}", options.how.min_ms),
              "--n",
              fmt::format("{}", options.n_or(128)),
              "--pool",
              name(options.pools.front()),
              "--join",
              name(options.joins.front())};
    if (options.child_first) {
        all.emplace_back("--child-first");
    }
    return all;
}

sample fork_join_in_fresh_process(const words& arguments, bool traced) {
    const variable_list quiet{{"LAZULT_TRACE", "0"}, {"LAZULT_PROBES", "0"}, {"LAZULT_STATS", "0"}};
    const variable_list tracing{{"LAZULT_TRACE", "/dev/null"}, {"LAZULT_STATS", "0"}};
    return sample_in_fresh_process(arguments, traced ? tracing : quiet);
}

// The traced run and the other one take turns at being first, so that a steady change, such as of
// the processor's clock, favours neither.
sample quotient(const words& arguments, bool traced_first) {
    const sample first = fork_join_in_fresh_process(arguments, traced_first);
    const sample second = fork_join_in_fresh_process(arguments, !traced_first);
    const double on = traced_first ? first.value : second.value;
    const double off = traced_first ? second.value : first.value;
    return {on / off,
            0,
            first.elapsed_ns + second.elapsed_ns,
            first.operations + second.operations,
            {{"ns_off", off}, {"ns_on", on}}};
}

// Of such a fresh process.
configuration long_enough(configuration row, double min_ms) {
    row.run = [run = row.run, min_ms](std::uint64_t) {
        const std::uint64_t rounds = calibrate(run, min_ms * 1e6);
        return run(rounds);
    };
    return row;
}

configuration compared(configuration row, const bench_options& options) {
    row.benchmark = "tracing";
    row.unit = "times";
    row.calibrated = false;
    row.settings = settings_with(1);
    row.run = [arguments = arguments_of(row, options), turn = false](std::uint64_t) mutable {
        turn = !turn;
        return quotient(arguments, turn);
    };
    return row;
}

}  // namespace

rows tracing_rows(const bench_options& options) {
    rows all = fork_join_rows(options);
    for (configuration& row : all) {
        row = options.isolated ? long_enough(std::move(row), options.how.min_ms)
                               : compared(std::move(row), options);
    }
    return all;
}

}  // namespace lazult::tool
