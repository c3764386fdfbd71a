// SPDX-License-Identifier: BSD-3-Clause
// The ULT or the OS thread that makes an MPI call, and its stream.
#pragma once

#include "lazult/sync/sync.hpp"

namespace lazult::mpi::caller {

// Returns true if the caller is a ULT that may suspend.
inline bool can_suspend() { return core::can_suspend(); }

// Called by a ULT. Returns true if its stream has nothing else to do than to look for events.
// would_only_poll() calls functions of users' pools, which may suspend the caller. If the caller
// goes on on another stream, the answer is about the wrong one, and the function returns false.
inline bool is_alone() noexcept {
    core::worker& w = core::running_worker();
    core::work_unit* const self = w.current;
    return !core::has_demands(*self) && w.here->would_only_poll(w) && &core::running_worker() == &w;
}

// Lets other ULTs run. A request to cancel the caller stays pending, because MPI's tests are no
// cancellation points. core::yield() would throw because of the request before another ULT ran.
inline void give_way() { sync::yield_uncanceled(core::current_unit()); }

}  // namespace lazult::mpi::caller
