// SPDX-License-Identifier: BSD-3-Clause
// Flows that drive a benchmark: one on each stream at once, or one on streams that share a pool.
#pragma once

#include <functional>

#include "tools/lazult/bench/stopwatch.hpp"

namespace lazult::tool {

// A driver holds arrays and joins its units in place, which takes as much stack as they would have
// had.
inline constexpr std::size_t driver_stack_bytes = std::size_t{1} << 20;

struct span_of_time {
    instant begin;
    instant end;
};

// Calls body(i) on streams 0 to count - 1; the caller is on stream 0. They begin together; the span
// ends with the last.
span_of_time on_every_stream(unsigned count, const std::function<void(unsigned)>& body);

// Starts `count` streams of their own that serve this one pool, and calls body() in a ULT there.
void on_streams_sharing(sched::ready_pool& pool, unsigned count, const std::function<void()>& body);

// Runs body() as a ULT with a large stack in this pool and waits for it.
void in_driver(core::pool& home, const std::function<void()>& body);

}  // namespace lazult::tool
