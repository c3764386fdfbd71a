// SPDX-License-Identifier: BSD-3-Clause
// Requests to move a unit to another pool. The core obeys a request when the unit is about to run,
// or when it gives way.
#include "threads/thread_state.hpp"

using namespace lazult::abt;

namespace {

// Returns the unit, or nullptr if it may not be asked to move.
work_unit* checked_migrant(ABT_thread thread) noexcept {
    work_unit* u = checked_thread(thread);
    return u != nullptr && has_bit(*u, abt_migratable) && !has_bit(*u, abt_main_scheduler)
               ? u
               : nullptr;
}

int move(work_unit& u, lazult::sched::ready_pool* target) noexcept {
    if (target == nullptr) {
        return ABT_ERR_MIGRATION_TARGET;
    }
    return to_code(core::migrate(u, *target), ABT_ERR_INV_THREAD);
}

int move_to_sched(work_unit& u, sched_object* s) noexcept {
    if (s == nullptr || has_pool(*s, *home_of(u))) {
        return ABT_ERR_MIGRATION_TARGET;
    }
    return move(u, migration_pool_of(*s));
}

bool is_another(xstream_object& x, void* unit) noexcept {
    const sched_object* s = x.main;
    return s != nullptr && !has_pool(*s, *home_of(*static_cast<work_unit*>(unit)));
}

}  // namespace

extern "C" {

int ABT_thread_migrate_to_pool(ABT_thread thread, ABT_pool pool) {
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    work_unit* u = checked_migrant(thread);
    ABT_GIVE_UP_UNLESS(u != nullptr, ABT_ERR_INV_THREAD);
    auto* target = checked_pool(pool);
    ABT_GIVE_UP_UNLESS(target != nullptr, ABT_ERR_INV_POOL);
    ABT_GIVE_UP_UNLESS(target != home_of(*u), ABT_ERR_MIGRATION_TARGET);
    return result(move(*u, target), __func__);
}

int ABT_thread_migrate_to_sched(ABT_thread thread, ABT_sched sched) {
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    work_unit* u = checked_migrant(thread);
    ABT_GIVE_UP_UNLESS(u != nullptr, ABT_ERR_INV_THREAD);
    sched_object* s = checked_sched(sched);
    ABT_GIVE_UP_UNLESS(s != nullptr, ABT_ERR_INV_SCHED);
    return result(move_to_sched(*u, s), __func__);
}

int ABT_thread_migrate_to_xstream(ABT_thread thread, ABT_xstream xstream) {
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    work_unit* u = checked_migrant(thread);
    ABT_GIVE_UP_UNLESS(u != nullptr, ABT_ERR_INV_THREAD);
    const xstream_object* x = checked_xstream(xstream);
    ABT_GIVE_UP_UNLESS(x != nullptr, ABT_ERR_INV_XSTREAM);
    return result(move_to_sched(*u, x->main), __func__);
}

int ABT_thread_migrate(ABT_thread thread) {
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    work_unit* u = checked_migrant(thread);
    ABT_GIVE_UP_UNLESS(u != nullptr, ABT_ERR_INV_THREAD);
    const xstream_object* x = find_running_xstream(last_xstream_of(*u), is_another, u);
    ABT_GIVE_UP_UNLESS(x != nullptr, ABT_ERR_MIGRATION_NA);
    return result(move_to_sched(*u, x->main), __func__);
}

int ABT_thread_set_callback(ABT_thread thread, void (*cb_func)(ABT_thread, void*), void* cb_arg) {
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    work_unit* u = checked_thread(thread);
    ABT_GIVE_UP_UNLESS(u != nullptr, ABT_ERR_INV_THREAD);
    ABT_GIVE_UP_UNLESS(set_migration_callback(*u, cb_func, cb_arg), ABT_ERR_MEM);
    return ABT_SUCCESS;
}
}
