// SPDX-License-Identifier: BSD-3-Clause
// A unit runs another one as a scheduler would.
#pragma once

#include "lazult/core/unit/work_unit.hpp"

namespace lazult::core {

struct worker;

// Runs a unit, ready or fresh, that the caller has taken out of its pool, above the caller, which
// need not be a scheduler: until it ends, yields or blocks. Whatever it makes ready goes to its
// pool. The caller is a unit, a tasklet too, and does not become ready meanwhile: it goes on here,
// in the same OS thread. Or it is a thread outside the streams.
void run_nested(worker& w, work_unit* u);

}  // namespace lazult::core
