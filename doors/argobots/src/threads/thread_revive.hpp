// SPDX-License-Identifier: BSD-3-Clause
// Reviving units that have ended.
#pragma once

#include "pools/pool.hpp"

namespace lazult::abt {

// Does everything that a revival needs, except making the unit ready. Returns SUCCESS, MEM or UNIT.
int renew(work_unit& u, sched::ready_pool& home, core::entry_function entry,
          void* argument) noexcept;
// Revives the unit and makes it ready. `otherwise` is the code for a bad handle: INV_THREAD or
// INV_TASK.
int revive_thread(ABT_pool pool, core::entry_function entry, void* argument, ABT_thread handle,
                  int otherwise);

}  // namespace lazult::abt
