// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the runtime has counted since the process started, over all OS threads.
#pragma once

#include <lazult/export.hpp>
#include <lazult/technique.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lazult {

/// One number for each technique, full to adaptive: by_technique[technique::full].
struct technique_counts {
    std::array<std::uint64_t, 7> counts{};  ///< at the technique's number

    /// Returns the number of one technique, which must not be technique::configured.
    std::uint64_t operator[](technique how) const noexcept {
        return counts[static_cast<std::size_t>(how)];
    }
    /// Returns the sum over all techniques.
    std::uint64_t total() const noexcept {
        std::uint64_t sum = 0;
        for (const std::uint64_t one : counts) {
            sum += one;
        }
        return sum;
    }
};

/// Counts at one moment, since the process started.
struct statistics_snapshot {
    std::uint64_t created = 0;          ///< work units
    std::uint64_t promoted = 0;         ///< of these, how many suspended at least once
    std::uint64_t suspensions = 0;      ///< switches away from a running unit: yields, waits, joins
    std::uint64_t fallbacks = 0;        ///< starts where the technique asked for could not be used
    std::uint64_t steals = 0;           ///< units that moved to another stream
    std::uint64_t sleeps = 0;           ///< how often a stream went to sleep
    std::chrono::nanoseconds slept{0};  ///< how long streams slept, the sum over all streams

    std::uint64_t stacks_made =
        0;  ///< stacks; about the most that were in use at once, because free ones are used first
    std::uint64_t stacks_in_use = 0;  ///< an estimate

    technique_counts created_by_technique;  ///< as asked for; only counted with LAZULT_STATS on
    /// What adaptive chose: an estimate that grows by 704 units at a time, after each 64 samples of
    /// a function (one unit in 11 is a sample). A task that starts at once is seldom counted.
    technique_counts planned_by_technique;
    technique_counts promoted_by_technique;   ///< by the technique by which the unit started
    technique_counts fallbacks_by_technique;  ///< by the technique that was asked for
};

/// Returns the counts of all OS threads. Thread-safe. The numbers are of about the same moment.
LAZULT_API statistics_snapshot statistics();

/// The counts of one OS thread: an execution stream, or an outside thread that created units. When
/// a stream ends, the next new thread continues its numbers.
struct stream_statistics {
    int stream = -1;             ///< its rank; -1: it never was a stream
    statistics_snapshot counts;  ///< what it counted, from its beginning
};

/// Returns such counts for each OS thread, in the order in which the threads first used the
/// library. Thread-safe. Throws std::bad_alloc.
LAZULT_API std::vector<stream_statistics> statistics_by_stream();

/// How deep ULTs went on their stacks: those that had one entry function and stacks of one size,
/// and have ended. All sizes are in bytes.
struct stack_use {
    std::string function;          ///< the entry function's name, and where it is
    std::size_t stack_size = 0;    ///< which the stacks had
    std::uint64_t threads = 0;     ///< how many ULTs
    std::size_t deepest = 0;       ///< what the deepest of them used
    std::size_t median = 0;        ///< what half of them did not exceed
    std::size_t enough_stack = 0;  ///< the stack size that would do: docs/techniques.md
};

/// Returns such figures, the deepest first. There are none unless LAZULT_STACK_USE is on when the
/// runtime starts. Thread-safe. Throws std::bad_alloc.
LAZULT_API std::vector<stack_use> stack_use_by_function();

}  // namespace lazult
