// SPDX-License-Identifier: BSD-3-Clause
// Finds the caller's unit_data. The caller is a work unit of the door, an OS thread, or another
// door's ULT. Such a ULT is an initial thread of its own, on whatever stream it runs: it has its
// own control variables, and owns its own nested locks.
#pragma once

#include "model/unit_data.hpp"

namespace lazult::omp {

// For a caller that is an OS thread or another door's ULT.
unit_data& data_of_foreign() noexcept;

// Returns the caller's record. Call it again after every suspension: a reference stays valid only
// in a work unit of the door.
LAZULT_ALWAYS_INLINE unit_data& me() noexcept {
    unit_data* const mine = data_of_unit();
    return mine != nullptr ? *mine : data_of_foreign();
}

// For a forked child process: makes the spare list anew; another thread may have held its lock.
void forget_spare_contexts() noexcept;

}  // namespace lazult::omp
