// SPDX-License-Identifier: BSD-3-Clause
// What all parts of the MPI door share: whether it is on, and what it counts.
#pragma once

#include <cstdint>

#include "lazult/sched/sched.hpp"
#include "lazult/sync/sync.hpp"
#include "library/mpi_api.hpp"

namespace lazult::mpi {

using ds::default_atomics;
template <class T>
using atomic = default_atomics::atomic<T>;

// Legal transitions:
//   unknown -> on      the first call after MPI was initialised with MPI_THREAD_MULTIPLE, however
//                      that happened
//   unknown -> off     the same with a lower level: any stream may make progress, which MPI would
//                      not allow then
//   on -> off          MPI_Finalize
enum class door_state : std::uint8_t { unknown, on, off };

// field  written by       read by    order
// state  decide, turn_off anybody    release / acquire: the parts are there
extern atomic<door_state> state;

door_state decide() noexcept;

// Whether MPI may be called by any thread, and ULTs that wait for it suspend.
inline bool is_on() noexcept {
    // pairs with: decide(), store of state
    const door_state now = state.load(std::memory_order_acquire);
    if (now == door_state::unknown) LAZULT_UNLIKELY {
        return decide() == door_state::on;
    }
    return now == door_state::on;
}

// By MPI_Finalize: waits for ULTs that wait, and ends the door's threads.
void turn_off() noexcept;

// Whether the caller is a ULT that a waiting call shall suspend, instead of blocking its stream.
inline bool may_suspend() noexcept { return is_on() && core::can_suspend(); }

// Printed by MPI_Finalize where LAZULT_STATS says so. By ULTs, on this OS thread: without locked
// instructions.
struct alignas(base::cache_line) counts {
    core::counter calls;      // which might have blocked
    core::counter suspended;  // suspensions of those calls
    core::counter helped;     // made by helper threads
};
// Exact for as many OS threads; more share them, and may lose some.
inline constexpr int counting_threads = 64;
extern counts tally[counting_threads];

inline void note(core::counter counts::* number) noexcept {
    (tally[core::running_worker().index % counting_threads].*number).increment();
}

void report() noexcept;

}  // namespace lazult::mpi
