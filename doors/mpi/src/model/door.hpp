// SPDX-License-Identifier: BSD-3-Clause
// Whether the door is on, that is, whether MPI calls of ULTs suspend. The first call after MPI_Init
// turns it on, and MPI_Finalize turns it off.
#pragma once

#include "adapt/caller.hpp"

#include <cstdint>

namespace lazult::mpi {

// Legal transitions:
//   unknown -> on      by the first call after MPI was initialised with MPI_THREAD_MULTIPLE
//   unknown -> off     by that call if MPI gave a lower level, which forbids that any stream makes
//                      progress; or if there was no memory
//   on -> off          by MPI_Finalize
enum class door_state : std::uint8_t { unknown, on, off };

// field  written by       read by    order
// state  decide, turn_off any thread release / acquire: what begin() set up is visible
extern ds::default_atomics::atomic<door_state> state;

// Settles an unknown state if MPI is initialised. Returns the state.
door_state decide() noexcept;

// Returns true if any thread may call MPI, and ULTs that wait for MPI suspend.
inline bool is_on() noexcept {
    // pairs with: decide(), store of state
    const door_state now = state.load(std::memory_order_acquire);
    if (now == door_state::unknown) LAZULT_UNLIKELY {
        return decide() == door_state::on;
    }
    return now == door_state::on;
}

// Called by MPI_Finalize. Polls until no ULT waits for MPI, and ends the door's threads.
void turn_off() noexcept;

// Returns true if waiting calls of the caller shall suspend it, not block its stream.
inline bool may_suspend() noexcept { return is_on() && caller::can_suspend(); }

// Prints the counts. Must be called before PMPI_Finalize.
void report() noexcept;

}  // namespace lazult::mpi
