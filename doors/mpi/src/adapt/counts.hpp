// SPDX-License-Identifier: BSD-3-Clause
// Counters of the MPI calls that ULTs make.
#pragma once

#include "lazult/core/core.hpp"

namespace lazult::mpi {

// The counters of one OS thread. The ULTs on this thread increment them without locked
// instructions. MPI_Finalize prints the sums over all threads if LAZULT_STATS is set.
struct alignas(base::cache_line) counts {
    core::counter calls;      // calls that might have blocked
    core::counter suspended;  // suspensions of those calls
    core::counter helped;     // calls that helper threads made
};
// If there are more OS threads than that, some share an element of `tally`. They may then lose
// increments.
inline constexpr int counting_threads = 64;
inline constinit counts tally[counting_threads]{};

inline void note(core::counter counts::* number) noexcept {
    (tally[core::running_worker().index % counting_threads].*number).increment();
}
inline std::uint64_t sum_of(core::counter counts::* number) noexcept {
    std::uint64_t sum = 0;
    for (const counts& each : tally) {
        sum += (each.*number).get();
    }
    return sum;
}

}  // namespace lazult::mpi
