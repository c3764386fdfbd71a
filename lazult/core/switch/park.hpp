// SPDX-License-Identifier: BSD-3-Clause
// A unit that waits for one call of unpark().
#pragma once

#include "lazult/core/worker/worker.hpp"

namespace lazult::core {

// Suspends the running unit until unpark(); returns at once if one came already.
void park();
void unpark(work_unit* u) noexcept;

}  // namespace lazult::core
