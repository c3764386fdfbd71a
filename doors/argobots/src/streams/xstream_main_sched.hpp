// SPDX-License-Identifier: BSD-3-Clause
// Another main scheduler for a stream that runs.
#pragma once

#include "streams/xstream.hpp"

namespace lazult::abt {

enum class old_sched_fate : std::uint8_t { freed_if_automatic, freed_with_all_pools };

// By a ULT on the stream that runs right under the old scheduler; returns when the new one, which
// is taken for the stream, is in charge: the old one ends when no unit is left in its pools. The
// caller moves to the new one's first pool if it came from the old ones. SUCCESS; INV_SCHED: a pool
// is private to another stream; UNIT, MEM.
int replace_main_sched(const caller& me, xstream_object& x, sched_object& next,
                       old_sched_fate fate);

}  // namespace lazult::abt
