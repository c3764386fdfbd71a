/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Condition variables. */
#ifndef ABT_COND_H_INCLUDED
#define ABT_COND_H_INCLUDED

#include "types.h"

#if defined(__cplusplus)
extern "C" {
#endif

/** Memory for a condition variable without ABT_cond_create. Set by the initialiser, or all zero.
 * It needs no freeing, and ABT_cond_free may not have it. */
typedef struct {
    int dummy[16]; /**< the library's */
} ABT_cond_memory;

/** For ABT_cond_memory variable = ABT_COND_INITIALIZER. */
#define ABT_COND_INITIALIZER {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}}
/** The handle of the condition variable in an ABT_cond_memory, valid as long as that lives. */
#define ABT_COND_MEMORY_GET_HANDLE(p_cond_memory) ((ABT_cond)(p_cond_memory))

/**
 * Creates a condition variable.
 * Errors: ABT_ERR_MEM, ABT_ERR_SYS.
 * On error: *newcond = ABT_COND_NULL. Callers: any.
 */
int ABT_cond_create(ABT_cond* newcond) ABT_API_PUBLIC;

/**
 * Frees a condition variable and sets the handle to null.
 * Errors: ABT_ERR_INV_COND (null), ABT_ERR_COND (somebody waits). The handle then stays.
 * Callers: any.
 */
int ABT_cond_free(ABT_cond* cond) ABT_API_PUBLIC;

/** Unlocks the mutex, waits for a signal and locks it again, also after an error. A wait never
 * ends without a signal. The caller has locked the mutex, a recursive one just once. All callers
 * that wait at one time use one mutex. Errors: ABT_ERR_COND (a tasklet), ABT_ERR_INV_COND
 * (null), ABT_ERR_INV_MUTEX (null; others wait with another
 *   one).
 * Callers: ULT, external thread. Needs no ABT_init. May suspend. */
int ABT_cond_wait(ABT_cond cond, ABT_mutex mutex) ABT_API_PUBLIC;

/** The same until a time of CLOCK_REALTIME at the latest. Then, too, the mutex is locked again.
 * Errors: ABT_ERR_COND_TIMEDOUT (the time is over), ABT_ERR_INV_COND (null), ABT_ERR_INV_MUTEX
 * (null; others wait
 *   with another one).
 * Callers: any. Needs no ABT_init. May suspend. */
int ABT_cond_timedwait(ABT_cond cond, ABT_mutex mutex,
                       const struct timespec* abstime) ABT_API_PUBLIC;

/**
 * Wakes one waiter, if there is one. The mutex need not be locked.
 * Errors: ABT_ERR_INV_COND (null).
 * Callers: any. Needs no ABT_init.
 */
int ABT_cond_signal(ABT_cond cond) ABT_API_PUBLIC;

/**
 * Wakes all waiters. The mutex need not be locked.
 * Errors: ABT_ERR_INV_COND (null).
 * Callers: any. Needs no ABT_init.
 */
int ABT_cond_broadcast(ABT_cond cond) ABT_API_PUBLIC;

#if defined(__cplusplus)
}
#endif

#endif /* ABT_COND_H_INCLUDED */
