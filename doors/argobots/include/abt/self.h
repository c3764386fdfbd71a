/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The calling unit, and how it gives way. */
#ifndef ABT_SELF_H_INCLUDED
#define ABT_SELF_H_INCLUDED

#include "types.h"

#if defined(__cplusplus)
extern "C" {
#endif

/** The same for ULTs and tasklets. */
/** @{ */
#define ABT_self_get_task ABT_self_get_thread
#define ABT_self_get_task_id ABT_self_get_thread_id
/** @} */

/*
 * The caller and where it runs
 */

/**
 * The stream that runs the caller.
 * Errors: ABT_ERR_INV_XSTREAM (an external thread).
 * Callers: unit.
 */
int ABT_self_get_xstream(ABT_xstream* xstream) ABT_API_PUBLIC;

/**
 * The rank of that stream.
 * Errors: ABT_ERR_INV_XSTREAM (an external thread).
 * Callers: unit.
 */
int ABT_self_get_xstream_rank(int* rank) ABT_API_PUBLIC;

/**
 * The caller's handle.
 * Errors: ABT_ERR_INV_XSTREAM (an external thread).
 * Callers: unit.
 */
int ABT_self_get_thread(ABT_thread* thread) ABT_API_PUBLIC;

/**
 * The caller's id, see ABT_thread_get_id.
 * Errors: ABT_ERR_INV_XSTREAM (an external thread).
 * Callers: unit.
 */
int ABT_self_get_thread_id(ABT_unit_id* id) ABT_API_PUBLIC;

/** Sets the caller's value for a key. Its destructor, if any, gets the last value when the caller
 * is freed. Errors: ABT_ERR_INV_KEY (null), ABT_ERR_UNINITIALIZED, ABT_ERR_INV_XSTREAM (an
 * external thread), ABT_ERR_MEM,
 *   ABT_ERR_SYS.
 * Callers: unit. */
int ABT_self_set_specific(ABT_key key, void* value) ABT_API_PUBLIC;

/**
 * The caller's value for a key; NULL if it was never set.
 * Errors: ABT_ERR_INV_KEY (null), ABT_ERR_INV_XSTREAM (an external thread).
 * Callers: unit.
 */
int ABT_self_get_specific(ABT_key key, void** value) ABT_API_PUBLIC;

/**
 * Whether the caller is a ULT or a tasklet. If it is an external thread, the type and the code say
 * so.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_XSTREAM (an external thread).
 * On error: *type = ABT_UNIT_TYPE_EXT. Callers: any.
 */
int ABT_self_get_type(ABT_unit_type* type) ABT_API_PUBLIC;

/** Whether the caller is the ULT that called ABT_init first. Errors: ABT_ERR_UNINITIALIZED,
 * ABT_ERR_INV_XSTREAM (an external thread), ABT_ERR_INV_THREAD (a tasklet). On error:
 * *is_primary = ABT_FALSE. Callers: ULT; others learn that they are not. */
int ABT_self_is_primary(ABT_bool* is_primary) ABT_API_PUBLIC;

/**
 * Whether the caller runs on the primary stream.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_XSTREAM (an external thread).
 * On error: *on_primary = ABT_FALSE. Callers: unit.
 */
int ABT_self_on_primary_xstream(ABT_bool* on_primary) ABT_API_PUBLIC;

/**
 * Whether the caller was created without a name, so that it frees itself.
 * Errors: ABT_ERR_INV_XSTREAM (an external thread).
 * Callers: unit.
 */
int ABT_self_is_unnamed(ABT_bool* is_unnamed) ABT_API_PUBLIC;

/**
 * The pool that the caller belongs to.
 * Errors: ABT_ERR_INV_XSTREAM (an external thread).
 * Callers: unit.
 */
int ABT_self_get_last_pool(ABT_pool* pool) ABT_API_PUBLIC;

/**
 * The number of that pool.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_XSTREAM (an external thread).
 * On error: *pool_id = -1. Callers: unit.
 */
int ABT_self_get_last_pool_id(int* pool_id) ABT_API_PUBLIC;

/** Makes the caller belong to another pool: it goes there when it gives way next. Errors:
 * ABT_ERR_INV_XSTREAM (an external thread), ABT_ERR_INV_POOL (null), ABT_ERR_UNIT (the pool
 * could not make
 *   a unit), ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: unit. */
int ABT_self_set_associated_pool(ABT_pool pool) ABT_API_PUBLIC;

/**
 * The unit by which the caller's pool knows it.
 * Errors: ABT_ERR_INV_XSTREAM (an external thread).
 * Callers: unit.
 */
int ABT_self_get_unit(ABT_unit* unit) ABT_API_PUBLIC;

/* Giving way. Functions that end in _to hand the stream to another ULT directly, with no
 * scheduler between. */

/**
 * Goes to its pool and lets the parent, its scheduler as a rule, run others.
 * Errors: ABT_ERR_INV_XSTREAM (an external thread), ABT_ERR_INV_THREAD (a tasklet).
 * Callers: ULT. May suspend.
 */
int ABT_self_yield(void) ABT_API_PUBLIC;

/** Goes to its pool and lets a ready ULT run in its place, which the caller has popped before.
 * Errors: ABT_ERR_INV_XSTREAM (an external thread), ABT_ERR_INV_THREAD (the caller is a tasklet
 * or a main
 *   scheduler; the thread is null, a tasklet, a main scheduler or the caller).
 * Callers: ULT. May suspend. */
int ABT_self_yield_to(ABT_thread thread) ABT_API_PUBLIC;

/** Goes to its pool, resumes a suspended ULT and lets it run in its place. Errors:
 * ABT_ERR_INV_XSTREAM (an external thread), ABT_ERR_INV_THREAD (the caller is a tasklet or a
 * main
 *   scheduler; the thread is null, a tasklet or a main scheduler).
 * Callers: ULT. May suspend. One resumer of a ULT at a time. */
int ABT_self_resume_yield_to(ABT_thread thread) ABT_API_PUBLIC;

/** Suspends until ABT_thread_resume or its like. That must not come before the caller's state is
 * blocked. Errors: ABT_ERR_INV_XSTREAM (an external thread), ABT_ERR_INV_THREAD (a tasklet).
 * Callers: ULT. Suspends. */
int ABT_self_suspend(void) ABT_API_PUBLIC;

/** Suspends and lets a ready ULT run in its place, which the caller has popped before. Errors:
 * ABT_ERR_INV_XSTREAM (an external thread), ABT_ERR_INV_THREAD (the caller is a tasklet or a
 * main
 *   scheduler; the thread is null, a tasklet, a main scheduler or the caller).
 * Callers: ULT. Suspends. */
int ABT_self_suspend_to(ABT_thread thread) ABT_API_PUBLIC;

/** Suspends, resumes a suspended ULT and lets it run in its place. Errors: ABT_ERR_INV_XSTREAM
 * (an external thread), ABT_ERR_INV_THREAD (the caller is a tasklet or a main
 *   scheduler; the thread is null, a tasklet or a main scheduler).
 * Callers: ULT. Suspends. One resumer of a ULT at a time. */
int ABT_self_resume_suspend_to(ABT_thread thread) ABT_API_PUBLIC;

/** Ends the caller without returning from its function: destructors of C++ objects on its stack
 * do not run. Returns on error only. Errors: ABT_ERR_INV_XSTREAM (an external thread),
 * ABT_ERR_INV_THREAD (a tasklet; the primary ULT). Callers: ULT. */
int ABT_self_exit(void) ABT_API_PUBLIC;

/** The same, and a ready ULT runs in its place, which the caller has popped before. Errors:
 * ABT_ERR_INV_XSTREAM (an external thread), ABT_ERR_INV_THREAD (the caller is a tasklet, the
 * primary ULT or
 *   a main scheduler; the thread is null, a tasklet, a main scheduler or the caller).
 * Callers: ULT. */
int ABT_self_exit_to(ABT_thread thread) ABT_API_PUBLIC;

/** The same, and a suspended ULT is resumed and runs in its place. Errors: ABT_ERR_INV_XSTREAM
 * (an external thread), ABT_ERR_INV_THREAD (the caller is a tasklet, the primary ULT or
 *   a main scheduler; the thread is null, a tasklet or a main scheduler).
 * Callers: ULT. One resumer of a ULT at a time. */
int ABT_self_resume_exit_to(ABT_thread thread) ABT_API_PUBLIC;

/** Runs a unit that was popped, as the caller's child, until it ends or gives way. With a pool
 * that is not null, it belongs to that from then on. This is what schedulers are made of.
 * Errors: ABT_ERR_INV_THREAD (null; the caller is a tasklet), ABT_ERR_UNINITIALIZED,
 * ABT_ERR_INV_XSTREAM (an
 *   external thread), ABT_ERR_UNIT (the pool could not make a unit), ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: ULT. May suspend. The unit must be ready and in no pool. */
int ABT_self_schedule(ABT_thread thread, ABT_pool pool) ABT_API_PUBLIC;

/*
 * Its function
 */

/** Replaces the argument that ABT_self_get_arg and ABT_thread_get_arg tell. What the caller's
 * function was given stays. Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_XSTREAM (an external
 * thread). Callers: unit. */
int ABT_self_set_arg(void* arg) ABT_API_PUBLIC;

/**
 * The argument of the caller's function.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_XSTREAM (an external thread).
 * On error: *arg = NULL. Callers: unit.
 */
int ABT_self_get_arg(void** arg) ABT_API_PUBLIC;

/**
 * The caller's function.
 * Errors: ABT_ERR_INV_XSTREAM (an external thread).
 * Callers: unit.
 */
int ABT_self_get_thread_func(void (**thread_func)(void*)) ABT_API_PUBLIC;

#if defined(__cplusplus)
}
#endif

#endif /* ABT_SELF_H_INCLUDED */
