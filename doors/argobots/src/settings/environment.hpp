// SPDX-License-Identifier: BSD-3-Clause
// The settings in environment variables ABT_<name>. Each may also be written ABT_ENV_<name>.
#pragma once

#include <cstdint>

namespace lazult::abt {

enum stack_check : int { no_check, canary_check, guard_check, strict_guard_check };

struct environment {
    unsigned max_xstreams = 1;  // ABT_MAX_NUM_XSTREAMS: only reported by queries, not a limit
    bool affinity = false;      // ABT_SET_AFFINITY: streams are bound to processors
    bool print_config = false;
    bool print_errno = false;
    bool print_raw_stack = false;
    std::uint64_t sched_sleep_ns = 100;  // ABT_SCHED_SLEEP_NSEC: only reported by queries
    int stack_overflow_check = guard_check;
};

// Reads the variables and changes the library's settings accordingly. ABT_init calls it before it
// starts streams. If other streams of the process run already, the library's settings stay as they
// are. Returns false if memory is exhausted.
bool read_environment() noexcept;

const environment& current_environment() noexcept;

}  // namespace lazult::abt
