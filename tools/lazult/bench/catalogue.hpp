// SPDX-License-Identifier: BSD-3-Clause
// Which benchmarks there are. Each turns the options into its rows.
#pragma once

#include <string_view>
#include <vector>

#include "tools/lazult/bench/measure.hpp"
#include "tools/lazult/bench/options.hpp"

namespace lazult::tool {

using rows = std::vector<configuration>;

rows floor_rows();
rows fork_join_rows(const bench_options& options);
rows yield_rows(const bench_options& options);
rows yield_to_rows(const bench_options& options);
rows fib_rows(const bench_options& options);
rows condvar_rows(const bench_options& options);
rows mutex_rows(const bench_options& options);
rows memory_rows(const bench_options& options);
rows wake_rows(const bench_options& options);
rows create_latency_rows(const bench_options& options);
rows idle_rows(const bench_options& options);
rows tracing_rows(const bench_options& options);

struct benchmark {
    std::string_view name;
    std::string_view doc;
    rows (*make)(const bench_options& options);
    bool timed;  // ns for each operation: comparable with the floors
};

}  // namespace lazult::tool
