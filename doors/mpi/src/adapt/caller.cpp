// SPDX-License-Identifier: BSD-3-Clause
#include "adapt/caller.hpp"

namespace lazult::mpi::caller {

// A pool of a user's may do anything when it is asked whether it is empty, so the caller may be
// elsewhere after it.
bool is_alone() noexcept {
    core::worker& w = core::running_worker();
    core::work_unit* const self = w.current;
    return !core::has_demands(*self) && w.here->would_only_poll(w) && &core::running_worker() == &w;
}

}  // namespace lazult::mpi::caller
