// SPDX-License-Identifier: BSD-3-Clause
// Whether the door is on. It begins with the first call after MPI_Init, and ends with MPI_Finalize.
#pragma once

#include "adapt/caller.hpp"

#include "lazult/ds/ds.hpp"

#include <cstdint>

namespace lazult::mpi {

// Legal transitions:
//   unknown -> on      the first call after MPI was initialised with MPI_THREAD_MULTIPLE, however
//                      that happened
//   unknown -> off     the same with a lower level: any stream may make progress, which MPI would
//                      not allow then
//   on -> off          MPI_Finalize
enum class door_state : std::uint8_t { unknown, on, off };

// field  written by       read by    order
// state  decide, turn_off anybody    release / acquire: the parts are there
extern ds::default_atomics::atomic<door_state> state;

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
inline bool may_suspend() noexcept { return is_on() && caller::can_suspend(); }

// Prints the counts. Before MPI_Finalize.
void report() noexcept;

}  // namespace lazult::mpi
