// SPDX-License-Identifier: BSD-3-Clause
#include "threads/thread_create.hpp"
#include "threads/thread_join.hpp"
#include "threads/thread_record.hpp"
#include "tools/tool.hpp"

namespace lazult::abt {
namespace {

// Everything but making it ready. SUCCESS, MEM or UNIT.
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

}  // namespace

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
    if (is_users_pool(*home)) {
        set_context(*u, push_context::revive);
    }
    core::make_ready(core::this_worker_or_null(), u);
    return ABT_SUCCESS;
}

}  // namespace lazult::abt

using namespace lazult::abt;

extern "C" {

int ABT_thread_revive(ABT_pool pool, void (*thread_func)(void*), void* arg, ABT_thread* thread) {
    const int code = revive_thread(pool, thread_func, arg, *thread, ABT_ERR_INV_THREAD);
    ABT_GIVE_UP_UNLESS(code == ABT_SUCCESS, code);
    return ABT_SUCCESS;
}

int ABT_thread_revive_to(ABT_pool pool, void (*thread_func)(void*), void* arg, ABT_thread* thread) {
    const caller me = who();
    ABT_GIVE_UP_UNLESS(!me.is_outside(), ABT_ERR_INV_XSTREAM);
    ABT_GIVE_UP_UNLESS(me.is_ult(), ABT_ERR_INV_THREAD);
    sched::ready_pool* home = checked_pool(pool);
    ABT_GIVE_UP_UNLESS(home != nullptr, ABT_ERR_INV_POOL);
    work_unit* u = checked_thread(*thread);
    ABT_GIVE_UP_UNLESS(u != nullptr && !is_tasklet(*u) && has_ended(*u), ABT_ERR_INV_THREAD);
    const int code = renew(*u, *home, thread_func, arg);
    ABT_GIVE_UP_UNLESS(code == ABT_SUCCESS, code);
    u->set_state(core::life_state::ready);
    give_way_to_child(me, u, push_context::revive_to);
    return ABT_SUCCESS;
}
}
