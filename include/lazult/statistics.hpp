// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the runtime counted since the process started, over all OS threads.
#pragma once

#include <lazult/export.hpp>
#include <lazult/technique.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lazult {

/// One number to each technique, full to adaptive: by_technique[technique::full].
struct technique_counts {
    std::array<std::uint64_t, 7> counts{};  ///< by the technique's number

    /// One technique's; not of technique::configured.
    std::uint64_t operator[](technique how) const noexcept {
        return counts[static_cast<std::size_t>(how)];
    }
    /// Of all techniques.
    std::uint64_t total() const noexcept {
        std::uint64_t sum = 0;
        for (const std::uint64_t one : counts) {
            sum += one;
        }
        return sum;
    }
};

/// The numbers of one moment, since the process started.
struct statistics_snapshot {
    std::uint64_t created = 0;          ///< work units
    std::uint64_t promoted = 0;         ///< of them, how many suspended at least once
    std::uint64_t suspensions = 0;      ///< switches away from a running unit: yields, waits, joins
    std::uint64_t fallbacks = 0;        ///< starts where the technique asked for could not be used
    std::uint64_t steals = 0;           ///< units that moved to another stream
    std::uint64_t sleeps = 0;           ///< times that a stream went to sleep
    std::chrono::nanoseconds slept{0};  ///< nanoseconds, of all streams together

    std::uint64_t stacks_made =
        0;  ///< the most that were in use at once, or a few more: free ones are used first
    std::uint64_t stacks_in_use = 0;  ///< about

    technique_counts created_by_technique;  ///< as asked for; only where LAZULT_STATS is on
    /// what adaptive chose, in whole windows of 64. Tasks that start at once are seldom planned
    technique_counts planned_by_technique;
    technique_counts promoted_by_technique;   ///< as started
    technique_counts fallbacks_by_technique;  ///< as asked for
};

/// Thread-safe. Each number is right by itself; together they are of about the same moment.
LAZULT_API statistics_snapshot statistics();

/// What one OS thread counted: an execution stream, or a thread outside that created units. A
/// stream's numbers go on with the next thread after its end.
struct stream_statistics {
    int stream = -1;             ///< its rank; -1: it never was a stream
    statistics_snapshot counts;  ///< what it counted, from its beginning
};

/// The same as statistics(), but for each OS thread, in the order in which the threads first came.
/// Throws std::bad_alloc.
LAZULT_API std::vector<stream_statistics> statistics_by_stream();

}  // namespace lazult
