// SPDX-License-Identifier: BSD-3-Clause
// Finds the record of the caller: of a unit of ours, of an OS thread, or of another door's ULT.
// Each of those ULTs is an initial thread of its own, wherever it goes: it has its own variables,
// and owns its own nested locks.
#pragma once

#include "model/unit_data.hpp"

namespace lazult::omp {

// Of a caller that is no work unit of ours: an OS thread, another door's ULT.
unit_data& data_of_foreign() noexcept;

// The caller's. Read anew after every suspension: no reference lives across one but in a unit that
// stays in its unit.
LAZULT_ALWAYS_INLINE unit_data& me() noexcept {
    unit_data* const mine = data_of_unit();
    return mine != nullptr ? *mine : data_of_foreign();
}

// In a child process: the list of spare ones may have been another thread's.
void forget_spare_contexts() noexcept;

}  // namespace lazult::omp
