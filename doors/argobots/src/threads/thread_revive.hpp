// SPDX-License-Identifier: BSD-3-Clause
// Bringing units that have ended to life again.
#pragma once

#include "pools/pool.hpp"

namespace lazult::abt {

// Everything but making it ready. SUCCESS, MEM or UNIT.
int renew(work_unit& u, sched::ready_pool& home, core::entry_function entry,
          void* argument) noexcept;
// `otherwise` is the code that refuses a handle: INV_THREAD or INV_TASK.
int revive_thread(ABT_pool pool, core::entry_function entry, void* argument, ABT_thread handle,
                  int otherwise);

}  // namespace lazult::abt
