// SPDX-License-Identifier: BSD-3-Clause
// What a suspended unit waits for, found without anybody's having kept account: each wait has its
// record on the waiting caller's own stack (waiter.hpp), which says what it waits for, and stands
// in a ring of such records.
#pragma once

#include <vector>

#include "lazult/sync/waiter.hpp"
#include "lazult/watch/watch.hpp"

namespace lazult::sync {

// Appends what it finds on the unit's stack. While nothing in the process runs. Throws
// std::bad_alloc.
void describe_waits(const core::work_unit& waiting, std::vector<watch::known_wait>& into);

}  // namespace lazult::sync
