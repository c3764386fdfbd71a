// SPDX-License-Identifier: BSD-3-Clause
// A unit runs another one as a scheduler would.
#pragma once

#include "lazult/core/unit/work_unit.hpp"

namespace lazult::core {

struct worker;

// Runs a unit, ready or fresh, above the caller, until it ends, yields or blocks. The caller has
// taken the unit out of its pool. Units that become ready go to their pools. The caller is a unit
// (also a tasklet), which does not become ready meanwhile and goes on in the same OS thread. Or the
// caller is a thread outside the streams.
void run_nested(worker& w, work_unit* u);

}  // namespace lazult::core
