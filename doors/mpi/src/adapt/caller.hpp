// SPDX-License-Identifier: BSD-3-Clause
// The ULT or the OS thread that makes an MPI call, and its stream.
#pragma once

#include "lazult/core/core.hpp"
#include "lazult/sync/sync.hpp"

namespace lazult::mpi::caller {

// True for a ULT that a waiting call may suspend.
inline bool can_suspend() { return core::can_suspend(); }

// Of a ULT: whether its stream has nothing to do besides it but to look for events.
bool is_alone() noexcept;

// Lets other ULTs run. A test is no point of cancellation: the request stays, for one that
// is. core::yield() would throw at once, and let nobody run.
inline void give_way() { sync::yield_uncanceled(core::current_unit()); }

}  // namespace lazult::mpi::caller
