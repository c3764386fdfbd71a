// SPDX-License-Identifier: BSD-3-Clause
// The runtime of a process: its streams, where new units go, how it starts and stops.
#pragma once

#include "lazult/sched/ready_pool.hpp"

namespace lazult::sched {

// Starts the runtime with the current settings unless it runs. The process's main thread becomes
// stream 0; when another thread starts it, that thread stays outside and all streams are new ones.
// Counted: each successful start needs a stop. Thread-safe.
base::status start_runtime();
// The last stop ends all streams that are left. Units that have not started by then are cancelled;
// when `drain` is set, ready ones run first. On the primary ULT when there is one.
base::status stop_runtime(bool drain);
bool runtime_is_running() noexcept;

// Starts it if it never ran: what every first use calls. It then stops when the process exits.
void ensure_runtime();

// Where units go that name no pool: the caller's stream if it is one of the runtime's, else those
// in turn. Of a runtime that runs.
ready_pool& default_pool(const worker* w);

}  // namespace lazult::sched
