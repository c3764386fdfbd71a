// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The runtime of a process: its execution streams and settings. It starts on first use and stops
/// when the process exits. A runtime object starts and stops it explicitly, with settings of the
/// program's own.
#pragma once

#include <lazult/export.hpp>
#include <lazult/technique.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace lazult {

/// The rule by which a stream chooses its next unit: see docs/pools-and-schedulers.md.
enum class scheduler_kind : std::uint8_t { basic, priority, work_stealing, waiting };
/// What catches a stack overflow: a page set by madvise (Linux 6.13) or by mprotect, a pattern that
/// is checked, or nothing. automatic: the first of these that the system has.
enum class guard_kind : std::uint8_t { automatic, madvise, mprotect, canary, none };
/// Whether streams are bound to processors. automatic: if there is a processor for each stream.
enum class bind_kind : std::uint8_t { automatic, on, off };

/// Whether a ULT that has begun may go on on another stream, or stays on the one where it began.
enum class started_kind : std::uint8_t { move, stay };

/// How lazult::io makes calls on files that may wait for a device: see docs/io.md. automatic: by
/// io_uring if the kernel allows it, else by helper threads.
enum class io_kind : std::uint8_t { automatic, io_uring, threads };

/// Settings of the runtime. One that is not given has the value of its LAZULT_* environment
/// variable, else the default. `lazult info` prints all. A runtime that starts on first use, after
/// a lazult::runtime has ended, goes on with the settings of that one.
struct options {
    /// number of streams; 0: one for each processor that the process may use
    std::optional<int> streams = {};
    /// bytes of a ULT's stack; see thread_attributes::stack_size
    std::optional<std::size_t> stack_size = {};
    /// bytes of a scheduler's stack, which tasklets use too; 0: as a ULT's, at least 64 KiB
    std::optional<std::size_t> scheduler_stack_size = {};
    std::optional<technique> how = {};                       ///< of threads that name none
    std::optional<scheduler_kind> scheduler = {};            ///< of streams that name none
    std::optional<guard_kind> guard = {};                    ///< what catches a stack overflow
    std::optional<bool> huge_pages = {};                     ///< for stacks; excludes page guards
    std::optional<bind_kind> bind = {};                      ///< streams to processors
    std::optional<std::chrono::nanoseconds> idle_spin = {};  ///< before an idle stream sleeps
    /// Scheduling points of a stream between two looks at events and other pools, at most. Where
    /// units run for long between them, the looks come about every 0.1 ms.
    std::optional<int> event_period = {};
    std::optional<int> ready_tasks =
        {};  ///< if at least so many units are ready, tasks may start at once: task_group::run()
    std::optional<int> max_cached_stacks = {};  ///< free stacks that a stream keeps for itself
    std::optional<std::uint64_t> seed = {};     ///< of the disturbances in chaos builds
    std::optional<bool> exact_stacks = {};      ///< see thread_attributes::stack_size
    /// stay: a ULT that has begun stays on its OS thread, so that addresses of `errno` and of
    /// thread_local variables hold. Other streams take only what has not begun. Pools and streams
    /// may say otherwise: pool_options, stream_options. docs/thread-locals.md says where it holds.
    std::optional<started_kind> started = {};
    std::optional<io_kind> io = {};      ///< how lazult::io reads and writes files
    std::optional<int> io_helpers = {};  ///< OS threads that make blocking calls, at most
    /// If a ULT blocks in the kernel for so long, a spare stream runs the other ready ULTs of its
    /// stream meanwhile. 0: off. See docs/io.md for what that asks of the code.
    std::optional<std::chrono::nanoseconds> spare = {};
    /// The same for a ULT that computes for so long without a scheduling point.
    std::optional<std::chrono::nanoseconds> quantum = {};
};

/// Keeps the runtime alive. Model: ABT_init and ABT_finalize. The main thread that constructs the
/// first object becomes stream 0. Further objects are cheap. The destruction of the last one stops
/// the runtime, after all ready units have run. Construct and destroy it on the main thread. The
/// destructor may suspend.
class LAZULT_API runtime {
public:
    /// Starts the runtime, or keeps it alive. Throws error: invalid_argument (names the field),
    /// busy (it runs already, with other settings), out_of_memory (a stream cannot be started).
    explicit runtime(const options& with = {});
    ~runtime();
    runtime(const runtime&) = delete;
    runtime& operator=(const runtime&) = delete;

    /// Returns true while the runtime runs. Thread-safe, as streams() is; neither starts it.
    static bool is_running() noexcept;
    static int streams() noexcept;  ///< the number of streams at this moment
};

}  // namespace lazult
