/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Several pointers that come later, each into a compartment of its own. */
#ifndef ABT_FUTURE_H_INCLUDED
#define ABT_FUTURE_H_INCLUDED

#include "types.h"

#if defined(__cplusplus)
extern "C" {
#endif

/**
 * Creates a future that is ready once num_compartments pointers are set: at once if that is 0.
 * Before it becomes ready, the caller that sets the last pointer calls cb_func, if that is not
 * NULL, with the pointers in no defined order. cb_func may use the pointers until it returns, and
 * not the future.
 * Errors: ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: any.
 */
int ABT_future_create(uint32_t num_compartments, void (*cb_func)(void** arg),
                      ABT_future* newfuture) ABT_API_PUBLIC;

/**
 * Frees a future, ready or not, that nobody waits for, and sets the handle to null.
 * Errors: ABT_ERR_INV_FUTURE (null).
 * Callers: any.
 */
int ABT_future_free(ABT_future* future) ABT_API_PUBLIC;

/**
 * Waits until a future is ready.
 * Errors: ABT_ERR_INV_FUTURE (null), ABT_ERR_FUTURE (a tasklet).
 * Callers: ULT, external thread. May suspend.
 */
int ABT_future_wait(ABT_future future) ABT_API_PUBLIC;

/**
 * Whether a future is ready.
 * Errors: ABT_ERR_INV_FUTURE (null).
 * Callers: any.
 */
int ABT_future_test(ABT_future future, ABT_bool* is_ready) ABT_API_PUBLIC;

/**
 * Sets the next compartment. The last one makes the future ready and wakes all waiters.
 * Errors: ABT_ERR_INV_FUTURE (null), ABT_ERR_FUTURE (ready already; no compartments).
 * Callers: any.
 */
int ABT_future_set(ABT_future future, void* value) ABT_API_PUBLIC;

/** Empties all compartments. Nobody may wait for the future now. One without compartments stays
 * ready. Errors: ABT_ERR_INV_FUTURE (null). Callers: any. */
int ABT_future_reset(ABT_future future) ABT_API_PUBLIC;

#if defined(__cplusplus)
}
#endif

#endif /* ABT_FUTURE_H_INCLUDED */
