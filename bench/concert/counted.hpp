// SPDX-License-Identifier: BSD-3-Clause
// Instructions: valgrind's tool callgrind counts them, also where the processor's own counters are
// not for programs.
#pragma once

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_ZERO_STATS
#define CALLGRIND_DUMP_STATS_AT(name) static_cast<void>(name)
#endif

namespace lazult::bench {

// What runs between the two is counted: callgrind writes the number of instructions with the name
// into a file of its own. Without callgrind nothing happens.
inline void begin_count() { CALLGRIND_ZERO_STATS; }
inline void end_count(const char* name) { CALLGRIND_DUMP_STATS_AT(name); }

}  // namespace lazult::bench
