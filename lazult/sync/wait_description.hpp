// SPDX-License-Identifier: BSD-3-Clause
// Finds out what a suspended unit waits for. No wait is registered for that: each wait has its
// record on the waiting caller's own stack (waiter.hpp). The record says what the caller waits for,
// and is linked in a ring of records.
#pragma once

#include <vector>

#include "lazult/sync/waiter.hpp"
#include "lazult/watch/watch.hpp"

namespace lazult::sync {

// Appends the waits of the records on the unit's stack. Call it while nothing in the process runs.
// Throws std::bad_alloc.
void describe_waits(const core::work_unit& waiting, std::vector<watch::known_wait>& into);

}  // namespace lazult::sync
