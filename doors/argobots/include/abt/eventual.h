/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Eventuals: values that are set once, read by many callers, and perhaps reset. */
#ifndef ABT_EVENTUAL_H_INCLUDED
#define ABT_EVENTUAL_H_INCLUDED

#include "types.h"

#if defined(__cplusplus)
extern "C" {
#endif

/** Memory for an eventual without a value, to be used without ABT_eventual_create. Initialise it
 * with ABT_EVENTUAL_INITIALIZER or with zeros. It needs no freeing and may not be passed to
 * ABT_eventual_free. */
typedef struct {
    int dummy[16]; /**< the library's */
} ABT_eventual_memory;

/** The initialiser of an eventual that is not ready: ABT_eventual_memory variable =
 * ABT_EVENTUAL_INITIALIZER. */
#define ABT_EVENTUAL_INITIALIZER {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}}
/** The handle of the eventual in an ABT_eventual_memory. It is valid as long as the memory lives.
 */
#define ABT_EVENTUAL_MEMORY_GET_HANDLE(p_eventual_memory) ((ABT_eventual)(p_eventual_memory))

/** Creates an eventual that is not ready. It has a buffer of nbytes bytes, aligned for any type, or
 * no buffer if nbytes is 0.
 * Errors: ABT_ERR_INV_ARG (nbytes < 0), ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: any. */
int ABT_eventual_create(int nbytes, ABT_eventual* neweventual) ABT_API_PUBLIC;

/** Frees an eventual and its buffer, and sets the handle to null. No caller may be waiting for it.
 * Errors: ABT_ERR_INV_EVENTUAL (null).
 * Callers: any. */
int ABT_eventual_free(ABT_eventual* eventual) ABT_API_PUBLIC;

/** Waits until an eventual is ready. Then *value points to its buffer, or is NULL if it has none;
 * value may be NULL. The caller may only read the buffer, and only until the eventual is reset or
 * freed. Bytes of the buffer that were not set are undefined.
 * Errors: ABT_ERR_INV_EVENTUAL (null), ABT_ERR_EVENTUAL (a tasklet).
 * Callers: ULT, external thread. May suspend. */
int ABT_eventual_wait(ABT_eventual eventual, void** value) ABT_API_PUBLIC;

/** Does what ABT_eventual_wait does, until a time of CLOCK_REALTIME at the latest.
 * Errors: ABT_ERR_COND_TIMEDOUT (the time is over), ABT_ERR_INV_EVENTUAL (null), ABT_ERR_EVENTUAL
 * (a tasklet).
 * Callers: ULT, external thread. May suspend. */
int ABT_eventual_timedwait(ABT_eventual eventual, void** value,
                           const struct timespec* abstime) ABT_API_PUBLIC;

/** Tests whether an eventual is ready. If so, *value points to its buffer, as after
 * ABT_eventual_wait; otherwise *value stays as it was. value may be NULL.
 * Errors: ABT_ERR_INV_EVENTUAL (null).
 * Callers: any. */
int ABT_eventual_test(ABT_eventual eventual, void** value, ABT_bool* is_ready) ABT_API_PUBLIC;

/** Copies nbytes bytes from value to the buffer, makes the eventual ready and wakes all waiters.
 * value may be NULL if nbytes is 0.
 * Errors: ABT_ERR_INV_EVENTUAL (null; nbytes is more than the buffer has), ABT_ERR_INV_ARG (nbytes
 * < 0), ABT_ERR_EVENTUAL (ready already).
 * Callers: any. */
int ABT_eventual_set(ABT_eventual eventual, void* value, int nbytes) ABT_API_PUBLIC;

/** Makes an eventual not ready. No caller may be waiting for it.
 * Errors: ABT_ERR_INV_EVENTUAL (null).
 * Callers: any. */
int ABT_eventual_reset(ABT_eventual eventual) ABT_API_PUBLIC;

#if defined(__cplusplus)
}
#endif

#endif /* ABT_EVENTUAL_H_INCLUDED */
