// SPDX-License-Identifier: BSD-3-Clause
#include "threads/thread_revive.hpp"

#include "pools/unit.hpp"
#include "threads/thread_join.hpp"
#include "units/thread_record.hpp"

namespace lazult::abt {

int renew(work_unit& u, sched::ready_pool& home, core::entry_function entry,
          void* argument) noexcept {
    if (const int code = associate(u, home); code != ABT_SUCCESS) {
        return code;
    }
    clear_bit(u, abt_traced);
    if (const thread_record* record = present_record(u);
        record != nullptr && record->users_stack != nullptr) {
        u.stk = record->users_stack;
    }
    core::renew(&u, home, entry, argument);
    if (tools_are_on()) LAZULT_UNLIKELY {
        if (!trace(u)) {
            return ABT_ERR_MEM;
        }
        tell(ABT_TOOL_EVENT_THREAD_REVIVE, u);
    }
    return ABT_SUCCESS;
}

int revive_thread(ABT_pool pool, core::entry_function entry, void* argument, ABT_thread handle,
                  int otherwise) {
    sched::ready_pool* home = checked_pool(pool);
    if (home == nullptr) {
        return ABT_ERR_INV_POOL;
    }
    work_unit* u = checked_thread(handle);
    if (u == nullptr || !has_ended(*u)) {
        return otherwise;
    }
    const int code = renew(*u, *home, entry, argument);
    if (code != ABT_SUCCESS) {
        return code;
    }
    if (part_of(*home).is_users) {
        set_context(*u, push_context::revive);
    }
    core::make_ready(core::this_worker_or_null(), u);
    return ABT_SUCCESS;
}

}  // namespace lazult::abt
