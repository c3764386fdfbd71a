/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Functions about the calling unit, and functions by which it gives way. */
#ifndef ABT_SELF_H_INCLUDED
#define ABT_SELF_H_INCLUDED

#include "types.h"

#if defined(__cplusplus)
extern "C" {
#endif

/** Other names for functions that serve ULTs and tasklets. */
/** @{ */
#define ABT_self_get_task ABT_self_get_thread
#define ABT_self_get_task_id ABT_self_get_thread_id
/** @} */

/*
 * The caller and where it runs
 */

/** Gets the stream that runs the caller.
 * Errors: ABT_ERR_INV_XSTREAM (an external thread).
 * Callers: unit. */
int ABT_self_get_xstream(ABT_xstream* xstream) ABT_API_PUBLIC;

/** Gets the rank of the stream that runs the caller.
 * Errors: ABT_ERR_INV_XSTREAM (an external thread).
 * Callers: unit. */
int ABT_self_get_xstream_rank(int* rank) ABT_API_PUBLIC;

/** Gets the caller's handle.
 * Errors: ABT_ERR_INV_XSTREAM (an external thread).
 * Callers: unit. */
int ABT_self_get_thread(ABT_thread* thread) ABT_API_PUBLIC;

/** Gets the caller's id, see ABT_thread_get_id.
 * Errors: ABT_ERR_INV_XSTREAM (an external thread).
 * Callers: unit. */
int ABT_self_get_thread_id(ABT_unit_id* id) ABT_API_PUBLIC;

/** Sets the caller's value for a key. When the caller is freed, the key's destructor, if it has
 * one, is called with the last value.
 * Errors: ABT_ERR_INV_KEY (null), ABT_ERR_UNINITIALIZED, ABT_ERR_INV_XSTREAM (an external thread),
 * ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: unit. */
int ABT_self_set_specific(ABT_key key, void* value) ABT_API_PUBLIC;

/** Gets the caller's value for a key, or NULL if it was never set.
 * Errors: ABT_ERR_INV_KEY (null), ABT_ERR_INV_XSTREAM (an external thread).
 * Callers: unit. */
int ABT_self_get_specific(ABT_key key, void** value) ABT_API_PUBLIC;

/** Gets the type of the caller: ULT or tasklet. For an external thread it writes ABT_UNIT_TYPE_EXT
 * and returns an error.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_XSTREAM (an external thread).
 * On error: *type = ABT_UNIT_TYPE_EXT.
 * Callers: any. */
int ABT_self_get_type(ABT_unit_type* type) ABT_API_PUBLIC;

/** Tests whether the caller is the primary ULT, which was the first to call ABT_init.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_XSTREAM (an external thread), ABT_ERR_INV_THREAD (a
 * tasklet).
 * On error: *is_primary = ABT_FALSE.
 * Callers: ULT. For other callers the error and the result say that they are not the primary ULT.
 */
int ABT_self_is_primary(ABT_bool* is_primary) ABT_API_PUBLIC;

/** Tests whether the caller runs on the primary stream.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_XSTREAM (an external thread).
 * On error: *on_primary = ABT_FALSE.
 * Callers: unit. */
int ABT_self_on_primary_xstream(ABT_bool* on_primary) ABT_API_PUBLIC;

/** Tests whether the caller was created without a handle, so that it frees itself.
 * Errors: ABT_ERR_INV_XSTREAM (an external thread).
 * Callers: unit. */
int ABT_self_is_unnamed(ABT_bool* is_unnamed) ABT_API_PUBLIC;

/** Gets the pool to which the caller belongs.
 * Errors: ABT_ERR_INV_XSTREAM (an external thread).
 * Callers: unit. */
int ABT_self_get_last_pool(ABT_pool* pool) ABT_API_PUBLIC;

/** Gets the id of the pool to which the caller belongs.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_XSTREAM (an external thread).
 * On error: *pool_id = -1.
 * Callers: unit. */
int ABT_self_get_last_pool_id(int* pool_id) ABT_API_PUBLIC;

/** Makes the caller belong to another pool. The caller goes to that pool when it gives way next.
 * Errors: ABT_ERR_INV_XSTREAM (an external thread), ABT_ERR_INV_POOL (null), ABT_ERR_UNIT (the
 * pool could not make a unit), ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: unit. */
int ABT_self_set_associated_pool(ABT_pool pool) ABT_API_PUBLIC;

/** Gets the unit by which the caller's pool knows the caller.
 * Errors: ABT_ERR_INV_XSTREAM (an external thread).
 * Callers: unit. */
int ABT_self_get_unit(ABT_unit* unit) ABT_API_PUBLIC;

/* Giving way. A function whose name ends in _to hands the stream directly to another ULT: no
 * scheduler runs in between. */

/** Puts the caller into its pool and lets its parent, usually its scheduler, run other units.
 * Errors: ABT_ERR_INV_XSTREAM (an external thread), ABT_ERR_INV_THREAD (a tasklet).
 * Callers: ULT. May suspend. */
int ABT_self_yield(void) ABT_API_PUBLIC;

/** Puts the caller into its pool and runs a ready ULT in its place. The caller must have popped
 * that ULT.
 * Errors: ABT_ERR_INV_XSTREAM (an external thread), ABT_ERR_INV_THREAD (the caller is a tasklet or
 * a main scheduler; the thread is null, a tasklet, a main scheduler or the caller).
 * Callers: ULT. May suspend. */
int ABT_self_yield_to(ABT_thread thread) ABT_API_PUBLIC;

/** Puts the caller into its pool, resumes a suspended ULT and runs that ULT in its place.
 * Errors: ABT_ERR_INV_XSTREAM (an external thread), ABT_ERR_INV_THREAD (the caller is a tasklet or
 * a main scheduler; the thread is null, a tasklet or a main scheduler).
 * Callers: ULT. May suspend. Only one caller at a time may resume a ULT. */
int ABT_self_resume_yield_to(ABT_thread thread) ABT_API_PUBLIC;

/** Suspends the caller until ABT_thread_resume or a similar function resumes it. Another caller may
 * resume it only when its state is ABT_THREAD_STATE_BLOCKED.
 * Errors: ABT_ERR_INV_XSTREAM (an external thread), ABT_ERR_INV_THREAD (a tasklet).
 * Callers: ULT. Suspends. */
int ABT_self_suspend(void) ABT_API_PUBLIC;

/** Suspends the caller and runs a ready ULT in its place. The caller must have popped that ULT.
 * Errors: ABT_ERR_INV_XSTREAM (an external thread), ABT_ERR_INV_THREAD (the caller is a tasklet or
 * a main scheduler; the thread is null, a tasklet, a main scheduler or the caller).
 * Callers: ULT. Suspends. */
int ABT_self_suspend_to(ABT_thread thread) ABT_API_PUBLIC;

/** Suspends the caller, resumes a suspended ULT and runs that ULT in its place.
 * Errors: ABT_ERR_INV_XSTREAM (an external thread), ABT_ERR_INV_THREAD (the caller is a tasklet or
 * a main scheduler; the thread is null, a tasklet or a main scheduler).
 * Callers: ULT. Suspends. Only one caller at a time may resume a ULT. */
int ABT_self_resume_suspend_to(ABT_thread thread) ABT_API_PUBLIC;

/** Ends the caller without returning from its function: destructors of C++ objects on its stack do
 * not run. This function returns only in case of an error.
 * Errors: ABT_ERR_INV_XSTREAM (an external thread), ABT_ERR_INV_THREAD (a tasklet; the primary
 * ULT).
 * Callers: ULT. */
int ABT_self_exit(void) ABT_API_PUBLIC;

/** Ends the caller as ABT_self_exit does, and runs a ready ULT in its place. The caller must have
 * popped that ULT.
 * Errors: ABT_ERR_INV_XSTREAM (an external thread), ABT_ERR_INV_THREAD (the caller is a tasklet,
 * the primary ULT or a main scheduler; the thread is null, a tasklet, a main scheduler or the
 * caller).
 * Callers: ULT. */
int ABT_self_exit_to(ABT_thread thread) ABT_API_PUBLIC;

/** Ends the caller as ABT_self_exit does, resumes a suspended ULT and runs that ULT in its place.
 * Errors: ABT_ERR_INV_XSTREAM (an external thread), ABT_ERR_INV_THREAD (the caller is a tasklet,
 * the primary ULT or a main scheduler; the thread is null, a tasklet or a main scheduler).
 * Callers: ULT. Only one caller at a time may resume a ULT. */
int ABT_self_resume_exit_to(ABT_thread thread) ABT_API_PUBLIC;

/** Runs a unit as the caller's child, until the unit ends or gives way. The caller must have popped
 * the unit. If pool is not null, the unit belongs to that pool from then on. Schedulers are built
 * from this function.
 * Errors: ABT_ERR_INV_THREAD (null; the caller is a tasklet), ABT_ERR_UNINITIALIZED,
 * ABT_ERR_INV_XSTREAM (an external thread), ABT_ERR_UNIT (the pool could not make a unit),
 * ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: ULT. May suspend. The unit must be ready and in no pool. */
int ABT_self_schedule(ABT_thread thread, ABT_pool pool) ABT_API_PUBLIC;

/*
 * The caller's function
 */

/** Replaces the argument that ABT_self_get_arg and ABT_thread_get_arg get. The argument that the
 * caller's function has received does not change.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_XSTREAM (an external thread).
 * Callers: unit. */
int ABT_self_set_arg(void* arg) ABT_API_PUBLIC;

/** Gets the argument of the caller's function.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_XSTREAM (an external thread).
 * On error: *arg = NULL.
 * Callers: unit. */
int ABT_self_get_arg(void** arg) ABT_API_PUBLIC;

/** Gets the caller's function.
 * Errors: ABT_ERR_INV_XSTREAM (an external thread).
 * Callers: unit. */
int ABT_self_get_thread_func(void (**thread_func)(void*)) ABT_API_PUBLIC;

#if defined(__cplusplus)
}
#endif

#endif /* ABT_SELF_H_INCLUDED */
