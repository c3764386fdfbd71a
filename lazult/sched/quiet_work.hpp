// SPDX-License-Identifier: BSD-3-Clause
// Units that a stream makes ready for itself without waking another stream. I/O makes many units
// ready, each for a few microseconds: a stream that woke another one for each would spend more on
// that than on the units. But a unit may also compute for long, and then others must not wait
// behind it. So an idle stream that sees such units does not sleep for longer than a millisecond,
// and neither does any other idle stream while they come often. A thief that leaves some wakes the
// next stream.
//
// until_ns   from      to               by
//            any       now + period     a stream with quiet work, if less than half a period is
//                                       left: it then also wakes one stream
// A stream that is about to sleep announces that, passes the heavy barrier, and then looks at
// until_ns. A stream with quiet work stores it and passes the light barrier in notify(). So the
// sleeper sees the time, or is woken. A short sleep has no barrier, and ends soon: see sleep.hpp.
//
// field      written by                 read by                     order
// until_ns   streams with quiet work    the same; idle streams      relaxed: the barriers order it
#pragma once

#include <cstdint>

#include "lazult/sched/ready_pool.hpp"

namespace lazult::sched {

// The calling stream has pushed units quietly, and has more to run than one unit.
void announce_quiet_work(worker& w) noexcept;
// How long a stream sleeps, at most, that sees quiet units in a pool from which it may take them.
inline constexpr std::int64_t longest_sleep_ns = 1'000'000;
// Returns how long an idle stream may sleep that sees none, because some may come; negative: for
// ever.
std::int64_t longest_sleep_beside_quiet_work() noexcept;

}  // namespace lazult::sched
