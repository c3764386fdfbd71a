// SPDX-License-Identifier: BSD-3-Clause
// Finds the record of the caller: of a unit of ours, of an OS thread, or of another door's ULT.
// Each of those ULTs is an initial thread of its own, wherever it goes: it has its own variables,
// and owns its own nested locks.
#pragma once

#include "model/unit_data.hpp"

namespace lazult::omp {

// Of a flow that is no unit of ours: an OS thread, another door's ULT.
flow_part& part_of_foreign() noexcept;

// The caller's. Read anew after every suspension: no reference lives across one but in a flow that
// stays in its unit.
LAZULT_ALWAYS_INLINE flow_part& me() noexcept {
    flow_part* const mine = part_of_unit();
    return mine != nullptr ? *mine : part_of_foreign();
}

// In a child process: the list of spare ones may have been another thread's.
void forget_spare_contexts() noexcept;

}  // namespace lazult::omp
