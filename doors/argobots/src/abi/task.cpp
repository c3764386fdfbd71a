// SPDX-License-Identifier: BSD-3-Clause
// Tasklets: the functions of ULTs, with other names and other error codes.
#include "threads/thread_create.hpp"
#include "threads/thread_join.hpp"
#include "threads/thread_revive.hpp"
#include "threads/thread_state.hpp"

using namespace lazult::abt;

extern "C" {

LAZULT_HOT int ABT_task_create(ABT_pool pool, void (*task_func)(void*), void* arg,
                               ABT_task* newtask) {
    return create_tasklet(pool, task_func, arg, newtask);
}

int ABT_task_create_on_xstream(ABT_xstream xstream, void (*task_func)(void*), void* arg,
                               ABT_task* newtask) {
    if (newtask != nullptr) {
        *newtask = as_null(ABT_TASK_NULL);
    }
    const xstream_object* x = checked_xstream(xstream);
    ABT_GIVE_UP_UNLESS(x != nullptr, ABT_ERR_INV_XSTREAM);
    sched::ready_pool* const home = main_pool_of(*x);
    const int code =
        home == nullptr ? ABT_ERR_INV_POOL : create_tasklet_in(*home, task_func, arg, newtask);
    return code == ABT_SUCCESS ? code : refuse(code, "ABT_task_create");
}

int ABT_task_revive(ABT_pool pool, void (*task_func)(void*), void* arg, ABT_task* task) {
    return result(revive_thread(pool, task_func, arg, *task, ABT_ERR_INV_TASK), __func__);
}

LAZULT_HOT int ABT_task_free(ABT_task* task) { return free_tasklet(task); }

int ABT_task_join(ABT_task task) { return result(join_unit(task, ABT_ERR_INV_TASK), __func__); }

int ABT_task_cancel(ABT_task task) {
    return result(cancel_thread(task, ABT_ERR_INV_TASK), __func__);
}

int ABT_task_self(ABT_task* task) {
    *task = as_null(ABT_TASK_NULL);
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    const caller me = this_caller();
    ABT_GIVE_UP_UNLESS(!me.is_outside(), ABT_ERR_INV_XSTREAM);
    ABT_GIVE_UP_UNLESS(me.is_tasklet(), ABT_ERR_INV_TASK);
    *task = to_handle(me.unit);
    return ABT_SUCCESS;
}

int ABT_task_self_id(uint64_t* id) {
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    const caller me = this_caller();
    ABT_GIVE_UP_UNLESS(!me.is_outside(), ABT_ERR_INV_XSTREAM);
    ABT_GIVE_UP_UNLESS(me.is_tasklet(), ABT_ERR_INV_TASK);
    ABT_GIVE_UP_UNLESS(get_id(*me.unit, id), ABT_ERR_MEM);
    return ABT_SUCCESS;
}

int ABT_task_get_xstream(ABT_task task, ABT_xstream* xstream) {
    return ask_unit(task, ABT_ERR_INV_TASK, __func__, xstream,
                    [](const work_unit& u) { return to_handle(last_xstream_of(u)); });
}

int ABT_task_get_state(ABT_task task, ABT_task_state* state) {
    const work_unit* u = checked_thread(task);
    ABT_GIVE_UP_UNLESS(u != nullptr, ABT_ERR_INV_TASK);
    const ABT_thread_state s = state_of(*u);
    *state = s == ABT_THREAD_STATE_READY        ? ABT_TASK_STATE_READY
             : s == ABT_THREAD_STATE_TERMINATED ? ABT_TASK_STATE_TERMINATED
                                                : ABT_TASK_STATE_RUNNING;
    return ABT_SUCCESS;
}

int ABT_task_get_last_pool(ABT_task task, ABT_pool* pool) {
    return ask_unit(task, ABT_ERR_INV_TASK, __func__, pool,
                    [](const work_unit& u) { return to_handle(home_of(u)); });
}

int ABT_task_get_last_pool_id(ABT_task task, int* id) {
    return ask_unit(task, ABT_ERR_INV_TASK, __func__, id, last_pool_id_of);
}

int ABT_task_set_migratable(ABT_task task, ABT_bool flag) {
    work_unit* u = checked_thread(task);
    ABT_GIVE_UP_UNLESS(u != nullptr, ABT_ERR_INV_TASK);
    set_migratable(*u, flag != ABT_FALSE);
    return ABT_SUCCESS;
}

int ABT_task_is_migratable(ABT_task task, ABT_bool* flag) {
    return ask_unit(task, ABT_ERR_INV_TASK, __func__, flag, [](const work_unit& u) {
        return has_bit(u, abt_migratable) ? ABT_TRUE : ABT_FALSE;
    });
}

int ABT_task_equal(ABT_task task1, ABT_task task2, ABT_bool* result) {
    return ABT_thread_equal(task1, task2, result);
}

int ABT_task_get_id(ABT_task task, uint64_t* task_id) {
    work_unit* u = checked_thread(task);
    ABT_GIVE_UP_UNLESS(u != nullptr, ABT_ERR_INV_TASK);
    ABT_GIVE_UP_UNLESS(get_id(*u, task_id), ABT_ERR_MEM);
    return ABT_SUCCESS;
}

int ABT_task_get_arg(ABT_task task, void** arg) {
    return ask_unit(task, ABT_ERR_INV_TASK, __func__, arg, argument_of);
}
}
