// SPDX-License-Identifier: BSD-3-Clause
// What the door counts of the calls of ULTs.
#pragma once

#include "lazult/core/core.hpp"

namespace lazult::mpi {

// Printed by MPI_Finalize where LAZULT_STATS says so. By ULTs, on this OS thread: without locked
// instructions.
struct alignas(base::cache_line) counts {
    core::counter calls;      // which might have blocked
    core::counter suspended;  // suspensions of those calls
    core::counter helped;     // made by helper threads
};
// Exact for as many OS threads; more share them, and may lose some.
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
