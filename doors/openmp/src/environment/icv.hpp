// SPDX-License-Identifier: BSD-3-Clause
// Internal control variables: those that each task has, and those of the process.
#pragma once

#include <climits>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lazult::omp {

// Values as in gcc's interface. The highest bit stands for the modifier `monotonic`.
enum schedule_kind : std::uint32_t {
    schedule_runtime = 0,
    schedule_static = 1,
    schedule_dynamic = 2,
    schedule_guided = 3,
    schedule_auto = 4,
    schedule_monotonic = 0x80000000U
};

enum bind_policy : std::uint8_t { bind_false, bind_true, bind_primary, bind_close, bind_spread };

// Each task has these. It begins with a copy of its creator's.
struct icvs {
    std::uint32_t threads = 1;
    std::uint32_t thread_limit = UINT_MAX;
    std::uint32_t schedule = schedule_dynamic;  // may include schedule_monotonic
    std::int32_t default_device = 0;
    std::int64_t chunk = 1;
    std::uintptr_t allocator = 1;  // omp_default_mem_alloc
    std::uint8_t max_active_levels = 1;
    bool dynamic = false;
    bind_policy bind = bind_false;
    // Fills up the last word. Otherwise copies would use moves that overlap, and loads of the next
    // copy would have to wait for the stores of these.
    std::uint8_t unused[5] = {};
};

enum class waiting_policy : std::uint8_t { automatic, active, passive };
enum class offload_policy : std::uint8_t { automatic, mandatory, disabled };

using place = std::vector<int>;  // the operating system's numbers of its processors

inline constexpr std::uint8_t supported_active_levels = 255;

// Read once from the environment. Functions of the interface change a few later; the program must
// synchronise these calls.
struct process_variables {
    icvs first;  // initial tasks begin with these
    std::vector<std::uint32_t> threads_by_level;
    std::vector<bind_policy> bind_by_level;
    std::vector<place> places;
    std::size_t stack_size = 0;  // in bytes; 0: as for the system's threads
    bool cancellation = false;
    bool display_affinity = false;
    waiting_policy waiting = waiting_policy::automatic;
    offload_policy offload = offload_policy::automatic;
    std::int64_t spin_ns = 0;
    int max_task_priority = 0;
    int teams = 0;
    int teams_thread_limit = 0;
    int processors = 1;
    bool debug = false;
    std::string affinity_format;
};

}  // namespace lazult::omp
