// SPDX-License-Identifier: BSD-3-Clause
// The trace of all threads, as a file in the trace-event format: a track for each OS thread, with a
// slice for each time that a unit ran there.
#pragma once

#include <cstdio>

namespace lazult::watch {

// Writes the trace to `file`. Other threads may keep running: the trace holds the events that they
// have recorded so far. Returns false if there is not enough memory.
bool write_trace(std::FILE* file) noexcept;

}  // namespace lazult::watch
