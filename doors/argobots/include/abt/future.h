/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Futures: several pointers that are set later, each in a compartment of its own. */
#ifndef ABT_FUTURE_H_INCLUDED
#define ABT_FUTURE_H_INCLUDED

#include "types.h"

#if defined(__cplusplus)
extern "C" {
#endif

/** Creates a future, which becomes ready when num_compartments pointers are set. If that number is
 * 0, it is ready at once. The caller that sets the last pointer first calls cb_func with all
 * pointers, in no defined order, unless cb_func is NULL. cb_func may use the pointers until it
 * returns; it may not use the future.
 * Errors: ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: any. */
int ABT_future_create(uint32_t num_compartments, void (*cb_func)(void** arg),
                      ABT_future* newfuture) ABT_API_PUBLIC;

/** Frees a future, ready or not, and sets the handle to null. No caller may be waiting for it.
 * Errors: ABT_ERR_INV_FUTURE (null).
 * Callers: any. */
int ABT_future_free(ABT_future* future) ABT_API_PUBLIC;

/** Waits until a future is ready.
 * Errors: ABT_ERR_INV_FUTURE (null), ABT_ERR_FUTURE (a tasklet).
 * Callers: ULT, external thread. May suspend. */
int ABT_future_wait(ABT_future future) ABT_API_PUBLIC;

/** Tests whether a future is ready.
 * Errors: ABT_ERR_INV_FUTURE (null).
 * Callers: any. */
int ABT_future_test(ABT_future future, ABT_bool* is_ready) ABT_API_PUBLIC;

/** Sets the next compartment. If that was the last one, makes the future ready and wakes all
 * waiters.
 * Errors: ABT_ERR_INV_FUTURE (null), ABT_ERR_FUTURE (ready already; no compartments).
 * Callers: any. */
int ABT_future_set(ABT_future future, void* value) ABT_API_PUBLIC;

/** Empties all compartments. No caller may be waiting for the future. A future without compartments
 * stays ready.
 * Errors: ABT_ERR_INV_FUTURE (null).
 * Callers: any. */
int ABT_future_reset(ABT_future future) ABT_API_PUBLIC;

#if defined(__cplusplus)
}
#endif

#endif /* ABT_FUTURE_H_INCLUDED */
