// SPDX-License-Identifier: BSD-3-Clause
// Where streams that have nothing to run sleep. They sleep at gates: each pool has a gate, and
// events have one (events.hpp).
#pragma once

#include "lazult/core/core.hpp"

namespace lazult::sched {

using core::work_unit;
using core::worker;

using lot = ds::parking_lot<>;
using gate = ds::gate<>;

// The process's sleeping streams. Never destroyed, because late wakers touch it.
lot& sleepers();

}  // namespace lazult::sched
