// SPDX-License-Identifier: BSD-3-Clause
#include "adapt/caller.hpp"

namespace lazult::mpi::caller {

// would_only_poll() calls functions of users' pools, which may suspend the caller. If the caller
// goes on on another stream, the answer is about the wrong one, and the function returns false.
bool is_alone() noexcept {
    core::worker& w = core::running_worker();
    core::work_unit* const self = w.current;
    return !core::has_demands(*self) && w.here->would_only_poll(w) && &core::running_worker() == &w;
}

}  // namespace lazult::mpi::caller
