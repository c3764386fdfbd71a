// SPDX-License-Identifier: BSD-3-Clause
// How the calling unit gives way, to anybody or to a unit that it names.
#pragma once

#include "door.hpp"

namespace lazult::abt {

// By a ULT.
void yield_caller(const caller& me);
// Runs a unit that the caller holds, as its child.
void run_child(const caller& me, work_unit& u);

}  // namespace lazult::abt
