// SPDX-License-Identifier: BSD-3-Clause
// Spare streams. A unit that blocks in the kernel, or computes for long, holds its stream, and what
// is ready in the stream's pools waits. As long as the monitor finds such streams, as many spare
// streams run. They steal what other streams may steal, by the same rules, and take what is ready
// in private pools (lending.hpp). If what has begun stays (LAZULT_STARTED), they take only what has
// not begun. They also look into the ports of caught streams.
#pragma once

#include <span>

#include "lazult/sched/sleepers.hpp"

namespace lazult::sched {

// For the monitor: these streams are caught. Starts and ends spare streams.
void relieve(std::span<worker* const> caught) noexcept;

// Spare streams may start from now on; none starts any more.
void open_spares() noexcept;
void close_spares() noexcept;
// The same, and the caller ends those that run, with all other streams of the runtime.
void hand_over_spares() noexcept;
// Ends those that still run, after close_spares().
void end_spares() noexcept;

}  // namespace lazult::sched
