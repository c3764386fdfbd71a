// SPDX-License-Identifier: BSD-3-Clause
// What the environment variables ABT_... ask for. Each may also be written ABT_ENV_...
#pragma once

#include <cstdint>

namespace lazult::abt {

enum stack_check : int { no_check, canary_check, guard_check, strict_guard_check };

struct environment {
    unsigned max_xstreams = 1;  // ABT_MAX_NUM_XSTREAMS: an answer to queries; it is no limit
    bool affinity = false;      // ABT_SET_AFFINITY
    bool print_config = false;
    bool print_errno = false;
    bool print_raw_stack = false;
    std::uint64_t sched_sleep_ns =
        100;  // ABT_SCHED_SLEEP_NSEC: an answer to queries; streams sleep until they are woken
    int stack_overflow_check = guard_check;
};

// Called by ABT_init before it starts its streams. Reads the variables and changes the library's
// settings accordingly. If other streams of the process run already, the settings stay as they are.
// Returns false if memory is exhausted.
bool read_environment() noexcept;

const environment& current_environment() noexcept;

}  // namespace lazult::abt
