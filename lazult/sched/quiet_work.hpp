// SPDX-License-Identifier: BSD-3-Clause
// Units that a stream makes ready for itself without waking another stream. I/O makes many units
// ready, each for a few microseconds: a stream that woke another one for each would spend more on
// that than on the units. But a unit may also compute for long, and then others must not wait
// behind it. So while there is such work, an idle stream does not sleep for longer than a
// millisecond.
//
// until_ns   from      to               by
//            any       now + period     a stream with quiet work, if less than half a period is
//                                       left: it then also wakes one stream
// A stream that is about to sleep announces that, passes the heavy barrier, and then looks at
// until_ns. A stream with quiet work stores it and passes the light barrier in notify(). So the
// sleeper sees the time, or is woken.
//
// field      written by                 read by                     order
// until_ns   streams with quiet work    the same; idle streams      relaxed: the barriers order it
#pragma once

#include <cstdint>

#include "lazult/sched/ready_pool.hpp"

namespace lazult::sched {

// The calling stream has pushed units quietly, and has more to run than one unit.
void announce_quiet_work(worker& w) noexcept;
// Returns how long an idle stream may sleep, in ns; negative: there is no quiet work.
std::int64_t longest_sleep_beside_quiet_work() noexcept;

}  // namespace lazult::sched
