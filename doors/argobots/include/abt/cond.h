/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Condition variables. */
#ifndef ABT_COND_H_INCLUDED
#define ABT_COND_H_INCLUDED

#include "types.h"

#if defined(__cplusplus)
extern "C" {
#endif

/** Memory for a condition variable, to be used without ABT_cond_create. Initialise it with
 * ABT_COND_INITIALIZER or with zeros. It needs no freeing and may not be passed to ABT_cond_free.
 */
typedef struct {
    int dummy[16]; /**< the library's */
} ABT_cond_memory;

/** The initialiser: ABT_cond_memory variable = ABT_COND_INITIALIZER. */
#define ABT_COND_INITIALIZER {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}}
/** The handle of the condition variable in an ABT_cond_memory. It is valid as long as the memory
 * lives. */
#define ABT_COND_MEMORY_GET_HANDLE(p_cond_memory) ((ABT_cond)(p_cond_memory))

/** Creates a condition variable.
 * Errors: ABT_ERR_MEM, ABT_ERR_SYS.
 * On error: *newcond = ABT_COND_NULL.
 * Callers: any. */
int ABT_cond_create(ABT_cond* newcond) ABT_API_PUBLIC;

/** Frees a condition variable and sets the handle to null.
 * Errors: ABT_ERR_INV_COND (null), ABT_ERR_COND (a caller waits). In case of an error the handle
 * stays.
 * Callers: any. */
int ABT_cond_free(ABT_cond* cond) ABT_API_PUBLIC;

/** Unlocks the mutex, waits for a signal and locks the mutex again, also after an error. There are
 * no spurious wake-ups. The caller must have locked the mutex, a recursive one exactly once. All
 * callers that wait at the same time must use the same mutex.
 * Errors: ABT_ERR_COND (a tasklet), ABT_ERR_INV_COND (null), ABT_ERR_INV_MUTEX (null; others wait
 * with another one).
 * Callers: ULT, external thread. Needs no ABT_init. May suspend. */
int ABT_cond_wait(ABT_cond cond, ABT_mutex mutex) ABT_API_PUBLIC;

/** Does what ABT_cond_wait does, until a time of CLOCK_REALTIME at the latest. After that time,
 * too, the mutex is locked again.
 * Errors: ABT_ERR_COND_TIMEDOUT (the time is over), ABT_ERR_INV_COND (null), ABT_ERR_INV_MUTEX
 * (null; others wait with another one).
 * Callers: any. Needs no ABT_init. May suspend. */
int ABT_cond_timedwait(ABT_cond cond, ABT_mutex mutex,
                       const struct timespec* abstime) ABT_API_PUBLIC;

/** Wakes one waiter, if there is one. The mutex need not be locked.
 * Errors: ABT_ERR_INV_COND (null).
 * Callers: any. Needs no ABT_init. */
int ABT_cond_signal(ABT_cond cond) ABT_API_PUBLIC;

/** Wakes all waiters. The mutex need not be locked.
 * Errors: ABT_ERR_INV_COND (null).
 * Callers: any. Needs no ABT_init. */
int ABT_cond_broadcast(ABT_cond cond) ABT_API_PUBLIC;

#if defined(__cplusplus)
}
#endif

#endif /* ABT_COND_H_INCLUDED */
