/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Tasklets: units of work that never suspend and have no stack of their own. */
#ifndef ABT_TASK_H_INCLUDED
#define ABT_TASK_H_INCLUDED

#include "types.h"

#if defined(__cplusplus)
extern "C" {
#endif

/** A tasklet's view of ABT_thread_state. */
enum ABT_task_state {
    ABT_TASK_STATE_READY,
    ABT_TASK_STATE_RUNNING, /**< a suspended ULT too */
    ABT_TASK_STATE_TERMINATED
};
typedef enum ABT_task_state ABT_task_state; /**< The same without `enum`. */

/** The same for ULTs and tasklets. They return ABT_ERR_INV_THREAD, not ABT_ERR_INV_TASK. */
/** @{ */
#define ABT_task_is_unnamed ABT_thread_is_unnamed
#define ABT_task_set_specific ABT_thread_set_specific
#define ABT_task_get_specific ABT_thread_get_specific
/** @} */

/** Creates a tasklet that will call task_func(arg), and pushes it to a pool. If newtask is NULL,
 * it has no name: it frees itself when it ends, and nobody may join it. Errors: ABT_ERR_INV_POOL
 * (null), ABT_ERR_UNIT (the pool could not make a unit), ABT_ERR_MEM, ABT_ERR_SYS. On error:
 * *newtask = ABT_TASK_NULL. Callers: any. */
int ABT_task_create(ABT_pool pool, void (*task_func)(void*), void* arg,
                    ABT_task* newtask) ABT_API_PUBLIC;

/** The same with the first pool of a stream's main scheduler. Errors: ABT_ERR_INV_XSTREAM (null),
 * ABT_ERR_UNIT (the pool could not make a unit), ABT_ERR_MEM, ABT_ERR_SYS. On error: *newtask =
 * ABT_TASK_NULL. Callers: any. */
int ABT_task_create_on_xstream(ABT_xstream xstream, void (*task_func)(void*), void* arg,
                               ABT_task* newtask) ABT_API_PUBLIC;

/** ABT_thread_revive. Errors: ABT_ERR_INV_TASK (null; not ended), ABT_ERR_INV_POOL (null),
 * ABT_ERR_UNIT (the pool could not make a
 *   unit), ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: any. Not while another joins or frees the tasklet. */
int ABT_task_revive(ABT_pool pool, void (*task_func)(void*), void* arg,
                    ABT_task* task) ABT_API_PUBLIC;

/** ABT_thread_free, but the handle becomes ABT_TASK_NULL. Errors: ABT_ERR_UNINITIALIZED,
 * ABT_ERR_INV_TASK (null; the caller; the primary ULT; a main scheduler). The handle
 *   then stays.
 * Callers: any. May suspend. One joiner or freer of a tasklet at a time. */
int ABT_task_free(ABT_task* task) ABT_API_PUBLIC;

/**
 * ABT_thread_join.
 * Errors: ABT_ERR_INV_TASK (null; the caller; the primary ULT; a main scheduler).
 * Callers: any. May suspend. One joiner or freer of a tasklet at a time.
 */
int ABT_task_join(ABT_task task) ABT_API_PUBLIC;

/**
 * ABT_thread_cancel: a tasklet that has started is not stopped.
 * Errors: ABT_ERR_INV_TASK (null; the primary ULT), ABT_ERR_FEATURE_NA.
 * Callers: any.
 */
int ABT_task_cancel(ABT_task task) ABT_API_PUBLIC;

/** The calling tasklet. ABT_self_get_thread is the newer one, and serves ULTs too. Errors:
 * ABT_ERR_UNINITIALIZED, ABT_ERR_INV_XSTREAM (an external thread), ABT_ERR_INV_TASK (a ULT). On
 * error: *task = ABT_TASK_NULL. Callers: tasklet; others may ask whether they are one. */
int ABT_task_self(ABT_task* task) ABT_API_PUBLIC;

/** The id of the calling tasklet, see ABT_thread_get_id. ABT_self_get_thread_id is the newer one,
 * and serves ULTs too. Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_XSTREAM (an external thread),
 * ABT_ERR_INV_TASK (a ULT). Callers: tasklet. */
int ABT_task_self_id(uint64_t* id) ABT_API_PUBLIC;

/**
 * ABT_thread_get_last_xstream.
 * Errors: ABT_ERR_INV_TASK (null).
 * Callers: any.
 */
int ABT_task_get_xstream(ABT_task task, ABT_xstream* xstream) ABT_API_PUBLIC;

/**
 * Whether a tasklet waits, runs or has ended.
 * Errors: ABT_ERR_INV_TASK (null).
 * Callers: any.
 */
int ABT_task_get_state(ABT_task task, ABT_task_state* state) ABT_API_PUBLIC;

/**
 * ABT_thread_get_last_pool.
 * Errors: ABT_ERR_INV_TASK (null).
 * Callers: any.
 */
int ABT_task_get_last_pool(ABT_task task, ABT_pool* pool) ABT_API_PUBLIC;

/**
 * ABT_thread_get_last_pool_id.
 * Errors: ABT_ERR_INV_TASK (null).
 * Callers: any.
 */
int ABT_task_get_last_pool_id(ABT_task task, int* id) ABT_API_PUBLIC;

/**
 * ABT_thread_set_migratable.
 * Errors: ABT_ERR_INV_TASK (null), ABT_ERR_FEATURE_NA.
 * Callers: any. Not at the same time as another change of this tasklet.
 */
int ABT_task_set_migratable(ABT_task task, ABT_bool flag) ABT_API_PUBLIC;

/**
 * ABT_thread_is_migratable.
 * Errors: ABT_ERR_INV_TASK (null), ABT_ERR_FEATURE_NA.
 * Callers: any. Not while it is being set.
 */
int ABT_task_is_migratable(ABT_task task, ABT_bool* flag) ABT_API_PUBLIC;

/**
 * ABT_thread_equal.
 * Errors: none.
 * Callers: any. Needs no ABT_init.
 */
int ABT_task_equal(ABT_task task1, ABT_task task2, ABT_bool* result) ABT_API_PUBLIC;

/**
 * ABT_thread_get_id.
 * Errors: ABT_ERR_INV_TASK (null).
 * Callers: any.
 */
int ABT_task_get_id(ABT_task task, uint64_t* task_id) ABT_API_PUBLIC;

/**
 * ABT_thread_get_arg.
 * Errors: ABT_ERR_INV_TASK (null).
 * Callers: any. Not while it is being set.
 */
int ABT_task_get_arg(ABT_task task, void** arg) ABT_API_PUBLIC;

#if defined(__cplusplus)
}
#endif

#endif /* ABT_TASK_H_INCLUDED */
