// SPDX-License-Identifier: BSD-3-Clause
// Replacing the main scheduler of a running stream.
#pragma once

#include "streams/xstream.hpp"

namespace lazult::abt {

enum class old_sched_fate : std::uint8_t { freed_if_automatic, freed_with_all_pools };

// Makes `next` the stream's main scheduler and returns when `next` is in charge. The caller is a
// ULT that the stream's main scheduler runs directly, and `next` was taken for the stream. The old
// scheduler ends when no unit is left in its pools. The caller moves to the first pool of `next` if
// its home was a pool of the old one. Returns SUCCESS, UNIT, MEM, or INV_SCHED if a pool is private
// to another stream.
int replace_main_sched(const caller& me, xstream_object& x, sched_object& next,
                       old_sched_fate fate);

}  // namespace lazult::abt
