// SPDX-License-Identifier: BSD-3-Clause
// Queries about a unit.
#include "threads/thread_state.hpp"
#include "pools/unit.hpp"

using namespace lazult::abt;

extern "C" {

int ABT_thread_get_state(ABT_thread thread, ABT_thread_state* state) {
    return ask_unit(thread, ABT_ERR_INV_THREAD, __func__, state, state_of);
}

int ABT_thread_get_last_xstream(ABT_thread thread, ABT_xstream* xstream) {
    return ask_unit(thread, ABT_ERR_INV_THREAD, __func__, xstream,
                    [](const work_unit& u) { return to_handle(last_xstream_of(u)); });
}

int ABT_thread_get_last_pool(ABT_thread thread, ABT_pool* pool) {
    return ask_unit(thread, ABT_ERR_INV_THREAD, __func__, pool,
                    [](const work_unit& u) { return to_handle(home_of(u)); });
}

int ABT_thread_get_last_pool_id(ABT_thread thread, int* id) {
    return ask_unit(thread, ABT_ERR_INV_THREAD, __func__, id, last_pool_id_of);
}

int ABT_thread_get_unit(ABT_thread thread, ABT_unit* unit) {
    return ask_unit(thread, ABT_ERR_INV_THREAD, __func__, unit, unit_of);
}

int ABT_thread_set_associated_pool(ABT_thread thread, ABT_pool pool) {
    work_unit* u = checked_thread(thread);
    ABT_GIVE_UP_UNLESS(u != nullptr, ABT_ERR_INV_THREAD);
    sched::ready_pool* target = checked_pool(pool);
    ABT_GIVE_UP_UNLESS(target != nullptr, ABT_ERR_INV_POOL);
    return result(associate(*u, *target), __func__);
}

int ABT_thread_set_migratable(ABT_thread thread, ABT_bool migratable) {
    work_unit* u = checked_thread(thread);
    ABT_GIVE_UP_UNLESS(u != nullptr, ABT_ERR_INV_THREAD);
    set_migratable(*u, migratable != ABT_FALSE);
    return ABT_SUCCESS;
}

int ABT_thread_is_migratable(ABT_thread thread, ABT_bool* is_migratable) {
    return ask_unit(thread, ABT_ERR_INV_THREAD, __func__, is_migratable, [](const work_unit& u) {
        return has_bit(u, abt_migratable) ? ABT_TRUE : ABT_FALSE;
    });
}

int ABT_thread_is_primary(ABT_thread thread, ABT_bool* is_primary) {
    return ask_unit(thread, ABT_ERR_INV_THREAD, __func__, is_primary, [](const work_unit& u) {
        return has_bit(u, abt_primary) ? ABT_TRUE : ABT_FALSE;
    });
}

int ABT_thread_is_unnamed(ABT_thread thread, ABT_bool* is_unnamed) {
    return ask_unit(thread, ABT_ERR_INV_THREAD, __func__, is_unnamed,
                    [](const work_unit& u) { return is_told_unnamed(u) ? ABT_TRUE : ABT_FALSE; });
}

int ABT_thread_equal(ABT_thread thread1, ABT_thread thread2, ABT_bool* result) {
    *result = are_same(thread1, thread2);
    return ABT_SUCCESS;
}

int ABT_thread_get_stacksize(ABT_thread thread, size_t* stacksize) {
    return ask_unit(thread, ABT_ERR_INV_THREAD, __func__, stacksize,
                    [](const work_unit& u) { return stack_size_of(u); });
}

int ABT_thread_get_stack(ABT_thread thread, void** stackaddr, size_t* stacksize) {
    const work_unit* u = checked_thread(thread);
    ABT_GIVE_UP_UNLESS(u != nullptr, ABT_ERR_INV_THREAD);
    if (stackaddr != nullptr) {
        *stackaddr = stack_base_of(*u);
    }
    if (stacksize != nullptr) {
        *stacksize = stack_size_of(*u);
    }
    return ABT_SUCCESS;
}

int ABT_thread_get_id(ABT_thread thread, ABT_unit_id* thread_id) {
    work_unit* u = checked_thread(thread);
    ABT_GIVE_UP_UNLESS(u != nullptr, ABT_ERR_INV_THREAD);
    ABT_GIVE_UP_UNLESS(get_id(*u, thread_id), ABT_ERR_MEM);
    return ABT_SUCCESS;
}

int ABT_thread_set_arg(ABT_thread thread, void* arg) {
    work_unit* u = checked_thread(thread);
    ABT_GIVE_UP_UNLESS(u != nullptr, ABT_ERR_INV_THREAD);
    set_argument(*u, arg);
    return ABT_SUCCESS;
}

int ABT_thread_get_arg(ABT_thread thread, void** arg) {
    return ask_unit(thread, ABT_ERR_INV_THREAD, __func__, arg, argument_of);
}

int ABT_thread_get_thread_func(ABT_thread thread, void (**thread_func)(void*)) {
    return ask_unit(thread, ABT_ERR_INV_THREAD, __func__, thread_func, entry_of);
}
}
