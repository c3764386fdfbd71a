// SPDX-License-Identifier: BSD-3-Clause
// Queries of the calling unit about itself.
#include "pools/unit.hpp"
#include "threads/thread_state.hpp"

using namespace lazult::abt;

extern "C" {

int ABT_self_get_xstream(ABT_xstream* xstream) {
    const caller me = this_caller();
    ABT_GIVE_UP_UNLESS(!me.is_outside(), ABT_ERR_INV_XSTREAM);
    *xstream = to_handle(xstream_of(*me.w));
    return ABT_SUCCESS;
}

int ABT_self_get_xstream_rank(int* rank) {
    const caller me = this_caller();
    ABT_GIVE_UP_UNLESS(!me.is_outside(), ABT_ERR_INV_XSTREAM);
    *rank = rank_of(*xstream_of(*me.w));
    return ABT_SUCCESS;
}

int ABT_self_get_thread(ABT_thread* thread) {
    const caller me = this_caller();
    ABT_GIVE_UP_UNLESS(!me.is_outside(), ABT_ERR_INV_XSTREAM);
    *thread = to_handle(me.unit);
    return ABT_SUCCESS;
}

int ABT_self_get_thread_id(ABT_unit_id* id) {
    const caller me = this_caller();
    ABT_GIVE_UP_UNLESS(!me.is_outside(), ABT_ERR_INV_XSTREAM);
    ABT_GIVE_UP_UNLESS(get_id(*me.unit, id), ABT_ERR_MEM);
    return ABT_SUCCESS;
}

int ABT_thread_self(ABT_thread* thread) {
    *thread = as_null(ABT_THREAD_NULL);
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    const caller me = this_caller();
    ABT_GIVE_UP_UNLESS(!me.is_outside(), ABT_ERR_INV_XSTREAM);
    ABT_GIVE_UP_UNLESS(!me.is_tasklet(), ABT_ERR_INV_THREAD);
    *thread = to_handle(me.unit);
    return ABT_SUCCESS;
}

int ABT_thread_self_id(ABT_unit_id* id) {
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    const caller me = this_caller();
    ABT_GIVE_UP_UNLESS(!me.is_outside(), ABT_ERR_INV_XSTREAM);
    ABT_GIVE_UP_UNLESS(!me.is_tasklet(), ABT_ERR_INV_THREAD);
    ABT_GIVE_UP_UNLESS(get_id(*me.unit, id), ABT_ERR_MEM);
    return ABT_SUCCESS;
}

int ABT_self_get_type(ABT_unit_type* type) {
    *type = ABT_UNIT_TYPE_EXT;
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    const caller me = this_caller();
    ABT_GIVE_UP_UNLESS(!me.is_outside(), ABT_ERR_INV_XSTREAM);
    *type = me.is_tasklet() ? ABT_UNIT_TYPE_TASK : ABT_UNIT_TYPE_THREAD;
    return ABT_SUCCESS;
}

int ABT_self_is_primary(ABT_bool* is_primary) {
    *is_primary = ABT_FALSE;
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    const caller me = this_caller();
    ABT_GIVE_UP_UNLESS(!me.is_outside(), ABT_ERR_INV_XSTREAM);
    ABT_GIVE_UP_UNLESS(!me.is_tasklet(), ABT_ERR_INV_THREAD);
    *is_primary = has_bit(*me.unit, abt_primary) ? ABT_TRUE : ABT_FALSE;
    return ABT_SUCCESS;
}

int ABT_self_on_primary_xstream(ABT_bool* on_primary) {
    *on_primary = ABT_FALSE;
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    const caller me = this_caller();
    ABT_GIVE_UP_UNLESS(!me.is_outside(), ABT_ERR_INV_XSTREAM);
    *on_primary = xstream_of(*me.w)->is_primary ? ABT_TRUE : ABT_FALSE;
    return ABT_SUCCESS;
}

int ABT_self_is_unnamed(ABT_bool* is_unnamed) {
    const caller me = this_caller();
    ABT_GIVE_UP_UNLESS(!me.is_outside(), ABT_ERR_INV_XSTREAM);
    *is_unnamed = is_told_unnamed(*me.unit) ? ABT_TRUE : ABT_FALSE;
    return ABT_SUCCESS;
}

int ABT_self_get_last_pool(ABT_pool* pool) {
    const caller me = this_caller();
    ABT_GIVE_UP_UNLESS(!me.is_outside(), ABT_ERR_INV_XSTREAM);
    *pool = to_handle(home_of(*me.unit));
    return ABT_SUCCESS;
}

int ABT_self_get_last_pool_id(int* id) {
    *id = -1;
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    const caller me = this_caller();
    ABT_GIVE_UP_UNLESS(!me.is_outside(), ABT_ERR_INV_XSTREAM);
    *id = last_pool_id_of(*me.unit);
    return ABT_SUCCESS;
}

int ABT_self_set_associated_pool(ABT_pool pool) {
    const caller me = this_caller();
    ABT_GIVE_UP_UNLESS(!me.is_outside(), ABT_ERR_INV_XSTREAM);
    auto* target = checked_pool(pool);
    ABT_GIVE_UP_UNLESS(target != nullptr, ABT_ERR_INV_POOL);
    return result(associate(*me.unit, *target), __func__);
}

int ABT_self_get_unit(ABT_unit* unit) {
    const caller me = this_caller();
    ABT_GIVE_UP_UNLESS(!me.is_outside(), ABT_ERR_INV_XSTREAM);
    *unit = unit_of(*me.unit);
    return ABT_SUCCESS;
}

int ABT_self_set_arg(void* arg) {
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    const caller me = this_caller();
    ABT_GIVE_UP_UNLESS(!me.is_outside(), ABT_ERR_INV_XSTREAM);
    set_argument(*me.unit, arg);
    return ABT_SUCCESS;
}

int ABT_self_get_arg(void** arg) {
    *arg = nullptr;
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    const caller me = this_caller();
    ABT_GIVE_UP_UNLESS(!me.is_outside(), ABT_ERR_INV_XSTREAM);
    *arg = argument_of(*me.unit);
    return ABT_SUCCESS;
}

int ABT_self_get_thread_func(void (**thread_func)(void*)) {
    const caller me = this_caller();
    ABT_GIVE_UP_UNLESS(!me.is_outside(), ABT_ERR_INV_XSTREAM);
    *thread_func = entry_of(*me.unit);
    return ABT_SUCCESS;
}
}
