// SPDX-License-Identifier: BSD-3-Clause
// The runtime of a process: how it starts and stops its streams, and where new units go.
#pragma once

#include "lazult/sched/ready_pool.hpp"

namespace lazult::sched {

// Starts the runtime with the current settings, unless it runs. If the process's main thread calls
// this first, it becomes stream 0. Any other thread stays outside, and all streams are new OS
// threads. Starts are counted: each successful one needs a stop. Thread-safe.
base::status start_runtime();
// The last stop ends all streams of the runtime. Units that have not started by then are cancelled;
// with `drain`, ready units run first. If there is a primary ULT, it must make the last call.
base::status stop_runtime(bool drain);
bool runtime_is_running() noexcept;

// Starts the runtime if it has never run. Functions that may be a program's first use of Lazult
// call this. A runtime that was started in this way stops when the process exits.
void ensure_runtime();

// Returns the pool for units that are created without a pool: that of the caller's stream, if it is
// one of the runtime's, else those of the runtime's streams in turn. The runtime must run.
ready_pool& default_pool(const worker* w);

}  // namespace lazult::sched
