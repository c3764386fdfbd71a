/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Tasklets: units of work that never suspend and have no stack of their own. */
#ifndef ABT_TASK_H_INCLUDED
#define ABT_TASK_H_INCLUDED

#include "types.h"

#if defined(__cplusplus)
extern "C" {
#endif

/** The state of a tasklet, which has fewer states than a ULT. */
enum ABT_task_state {
    ABT_TASK_STATE_READY,
    ABT_TASK_STATE_RUNNING, /**< or suspended, if the unit is a ULT */
    ABT_TASK_STATE_TERMINATED
};
typedef enum ABT_task_state ABT_task_state; /**< The same without `enum`. */

/** Other names for functions about ULTs. They return ABT_ERR_INV_THREAD, not ABT_ERR_INV_TASK. */
/** @{ */
#define ABT_task_is_unnamed ABT_thread_is_unnamed
#define ABT_task_set_specific ABT_thread_set_specific
#define ABT_task_get_specific ABT_thread_get_specific
/** @} */

/** Creates a tasklet that will call task_func(arg), and pushes it to a pool. If newtask is NULL,
 * the tasklet is unnamed: it frees itself when it ends, and no caller may join it.
 * Errors: ABT_ERR_INV_POOL (null), ABT_ERR_UNIT (the pool could not make a unit), ABT_ERR_MEM,
 * ABT_ERR_SYS.
 * On error: *newtask = ABT_TASK_NULL.
 * Callers: any. */
int ABT_task_create(ABT_pool pool, void (*task_func)(void*), void* arg,
                    ABT_task* newtask) ABT_API_PUBLIC;

/** Does what ABT_task_create does, with the first pool of the stream's main scheduler.
 * Errors: ABT_ERR_INV_XSTREAM (null), ABT_ERR_UNIT (the pool could not make a unit), ABT_ERR_MEM,
 * ABT_ERR_SYS.
 * On error: *newtask = ABT_TASK_NULL.
 * Callers: any. */
int ABT_task_create_on_xstream(ABT_xstream xstream, void (*task_func)(void*), void* arg,
                               ABT_task* newtask) ABT_API_PUBLIC;

/** Does for a tasklet what ABT_thread_revive does.
 * Errors: ABT_ERR_INV_TASK (null; not ended), ABT_ERR_INV_POOL (null), ABT_ERR_UNIT (the pool
 * could not make a unit), ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: any. Not while another caller joins or frees the tasklet. */
int ABT_task_revive(ABT_pool pool, void (*task_func)(void*), void* arg,
                    ABT_task* task) ABT_API_PUBLIC;

/** Does for a tasklet what ABT_thread_free does. The handle becomes ABT_TASK_NULL.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_TASK (null; the caller; the primary ULT; a main
 * scheduler). In case of an error the handle stays.
 * Callers: any. May suspend. Only one caller at a time may join or free a tasklet. */
int ABT_task_free(ABT_task* task) ABT_API_PUBLIC;

/** Does for a tasklet what ABT_thread_join does.
 * Errors: ABT_ERR_INV_TASK (null; the caller; the primary ULT; a main scheduler).
 * Callers: any. May suspend. Only one caller at a time may join or free a tasklet. */
int ABT_task_join(ABT_task task) ABT_API_PUBLIC;

/** Does for a tasklet what ABT_thread_cancel does. A tasklet that has started runs to its end.
 * Errors: ABT_ERR_INV_TASK (null; the primary ULT), ABT_ERR_FEATURE_NA.
 * Callers: any. */
int ABT_task_cancel(ABT_task task) ABT_API_PUBLIC;

/** Gets the calling tasklet. ABT_self_get_thread is the newer function, and is for ULTs, too.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_XSTREAM (an external thread), ABT_ERR_INV_TASK (a
 * ULT).
 * On error: *task = ABT_TASK_NULL.
 * Callers: tasklet. For other callers the error says that they are no tasklet. */
int ABT_task_self(ABT_task* task) ABT_API_PUBLIC;

/** Gets the id of the calling tasklet, see ABT_thread_get_id. ABT_self_get_thread_id is the newer
 * function, and is for ULTs, too.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_XSTREAM (an external thread), ABT_ERR_INV_TASK (a
 * ULT).
 * Callers: tasklet. */
int ABT_task_self_id(uint64_t* id) ABT_API_PUBLIC;

/** Does for a tasklet what ABT_thread_get_last_xstream does.
 * Errors: ABT_ERR_INV_TASK (null).
 * Callers: any. */
int ABT_task_get_xstream(ABT_task task, ABT_xstream* xstream) ABT_API_PUBLIC;

/** Gets whether a tasklet is ready, runs or has ended.
 * Errors: ABT_ERR_INV_TASK (null).
 * Callers: any. */
int ABT_task_get_state(ABT_task task, ABT_task_state* state) ABT_API_PUBLIC;

/** Does for a tasklet what ABT_thread_get_last_pool does.
 * Errors: ABT_ERR_INV_TASK (null).
 * Callers: any. */
int ABT_task_get_last_pool(ABT_task task, ABT_pool* pool) ABT_API_PUBLIC;

/** Does for a tasklet what ABT_thread_get_last_pool_id does.
 * Errors: ABT_ERR_INV_TASK (null).
 * Callers: any. */
int ABT_task_get_last_pool_id(ABT_task task, int* id) ABT_API_PUBLIC;

/** Does for a tasklet what ABT_thread_set_migratable does.
 * Errors: ABT_ERR_INV_TASK (null), ABT_ERR_FEATURE_NA.
 * Callers: any. Not at the same time as another change of this tasklet. */
int ABT_task_set_migratable(ABT_task task, ABT_bool flag) ABT_API_PUBLIC;

/** Does for a tasklet what ABT_thread_is_migratable does.
 * Errors: ABT_ERR_INV_TASK (null), ABT_ERR_FEATURE_NA.
 * Callers: any. Not while another caller sets it. */
int ABT_task_is_migratable(ABT_task task, ABT_bool* flag) ABT_API_PUBLIC;

/** Does for tasklets what ABT_thread_equal does.
 * Errors: none.
 * Callers: any. Needs no ABT_init. */
int ABT_task_equal(ABT_task task1, ABT_task task2, ABT_bool* result) ABT_API_PUBLIC;

/** Does for a tasklet what ABT_thread_get_id does.
 * Errors: ABT_ERR_INV_TASK (null).
 * Callers: any. */
int ABT_task_get_id(ABT_task task, uint64_t* task_id) ABT_API_PUBLIC;

/** Does for a tasklet what ABT_thread_get_arg does.
 * Errors: ABT_ERR_INV_TASK (null).
 * Callers: any. Not while another caller sets it. */
int ABT_task_get_arg(ABT_task task, void** arg) ABT_API_PUBLIC;

#if defined(__cplusplus)
}
#endif

#endif /* ABT_TASK_H_INCLUDED */
