// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The runtime of a process: its execution streams and settings. It starts itself on first use and
/// stops when the process exits; a runtime object starts and stops it explicitly, with settings of
/// the program's own.
#pragma once

#include <lazult/export.hpp>
#include <lazult/technique.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace lazult {

/// Which unit a stream runs next: see docs/pools-and-schedulers.md.
enum class scheduler_kind : std::uint8_t { basic, priority, work_stealing, waiting };
/// What catches a stack overflow: a page set by madvise (Linux 6.13) or by mprotect, a pattern that
/// is checked, or nothing. automatic: the first of them that the system has.
enum class guard_kind : std::uint8_t { automatic, madvise, mprotect, canary, none };
/// Whether streams stay on processors. automatic: while there is a processor for each.
enum class bind_kind : std::uint8_t { automatic, on, off };

/// What is not given is as the LAZULT_* environment variable says, else the default; `lazult info`
/// prints all.
struct options {
    /// 0: one to each processor that the process may use
    std::optional<int> streams = {};
    /// bytes of a ULT's stack; see thread_attributes::stack_size
    std::optional<std::size_t> stack_size = {};
    /// bytes; 0: as a ULT's, 64 KiB at least. Tasklets' too
    std::optional<std::size_t> scheduler_stack_size = {};
    std::optional<technique> how = {};                       ///< of threads that name none
    std::optional<scheduler_kind> scheduler = {};            ///< of streams that name none
    std::optional<guard_kind> guard = {};                    ///< what catches a stack overflow
    std::optional<bool> huge_pages = {};                     ///< excludes page guards
    std::optional<bind_kind> bind = {};                      ///< streams to processors
    std::optional<std::chrono::nanoseconds> idle_spin = {};  ///< before an idle stream sleeps
    /// scheduling points between looks at events
    std::optional<int> event_period = {};
    std::optional<int> ready_tasks =
        {};  ///< if so many units are ready, tasks may start at once: task_group::run()
    std::optional<int> max_cached_stacks = {};  ///< free stacks that a stream keeps
    std::optional<std::uint64_t> seed = {};     ///< of chaos builds
    std::optional<bool> exact_stacks = {};      ///< see thread_attributes::stack_size
};

/// Model: ABT_init and ABT_finalize. The main thread that constructs the first one becomes stream
/// 0. Constructing further ones is cheap: the last to go stops the runtime, after what is ready has
/// run. Construct and destroy it on the main thread, which may be suspended meanwhile.
class LAZULT_API runtime {
public:
    /// Throws error: invalid_argument (names the field), busy (it runs already, with other
    /// settings), out_of_memory (a stream cannot be started).
    explicit runtime(const options& with = {});
    ~runtime();
    runtime(const runtime&) = delete;
    runtime& operator=(const runtime&) = delete;

    /// All are thread-safe and start nothing.
    static bool is_running() noexcept;
    static int streams() noexcept;  ///< at this moment
};

}  // namespace lazult
