// SPDX-License-Identifier: BSD-3-Clause
// The trace of all threads, as a file in the trace-event format: a track for each OS thread, with a
// slice for each time that a unit ran there.
#pragma once

#include <cstdint>
#include <cstdio>

#include "lazult/watch/known_wait.hpp"

namespace lazult::watch {

// Says what an object is that a traced unit has waited for, from what was recorded
// (core::trace_wait()). sync/ registers its function here when it is loaded.
using traced_wait_describer = known_wait (*)(std::uint8_t kind, std::uint64_t object);
void set_traced_wait_describer(traced_wait_describer tell) noexcept;

// Writes the trace to `file`. Other threads may keep running: the trace holds the events that they
// have recorded so far. Returns false if there is not enough memory.
bool write_trace(std::FILE* file) noexcept;

}  // namespace lazult::watch
