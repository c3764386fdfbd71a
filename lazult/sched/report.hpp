// SPDX-License-Identifier: BSD-3-Clause
// What the process reports at its end, if LAZULT_STATS or LAZULT_TRACE ask for it.
#pragma once

#include <cstdio>

#include "lazult/core/core.hpp"

namespace lazult::sched {

// Called by the thread that starts the process's first stream, when the settings are known. A child
// made by fork() reports nothing.
void report_at_exit() noexcept;

// "stream 3", or "thread 7" for one that never was a stream.
struct worker_name {
    char text[32];
    explicit worker_name(const core::worker& w) noexcept;
};

void write_statistics(std::FILE* file, bool as_json) noexcept;
// Writes the trace to `file`. Other threads may keep running: the trace holds the events that they
// have recorded so far. Returns false if there is not enough memory.
bool write_trace(std::FILE* file) noexcept;

}  // namespace lazult::sched
