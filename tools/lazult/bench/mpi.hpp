// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tools/lazult/bench/options.hpp"

namespace lazult::tool {

// Ping-pong through MPI, with each MPI that there is a door for: a job of two processes, which
// prints its own table.
void run_mpi_benchmark(const bench_options& options);

}  // namespace lazult::tool
