/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The codes that functions return. */
#ifndef ABT_ERROR_H_INCLUDED
#define ABT_ERROR_H_INCLUDED

#include "types.h"

#if defined(__cplusplus)
extern "C" {
#endif

#define ABT_SUCCESS 0           /**< success */
#define ABT_ERR_UNINITIALIZED 1 /**< the runtime is not up: call ABT_init first */
#define ABT_ERR_MEM 2           /**< memory is exhausted */
#define ABT_ERR_OTHER 3         /**< see the comment of the function */

#define ABT_ERR_INV_XSTREAM 4 /**< as the codes below; also: an external thread calls */
/** An argument is null, or may not be used in this call. */
/** @{ */
#define ABT_ERR_INV_XSTREAM_RANK 5
#define ABT_ERR_INV_XSTREAM_BARRIER 6
#define ABT_ERR_INV_SCHED 7
#define ABT_ERR_INV_SCHED_KIND 8
#define ABT_ERR_INV_SCHED_PREDEF 9
#define ABT_ERR_INV_SCHED_TYPE 10 /**< never returned */
#define ABT_ERR_INV_SCHED_CONFIG 11
#define ABT_ERR_INV_POOL 12
#define ABT_ERR_INV_POOL_KIND 13
#define ABT_ERR_INV_POOL_ACCESS 14
#define ABT_ERR_INV_UNIT 15
#define ABT_ERR_INV_THREAD 16 /**< also: the calling unit is of the wrong kind */
#define ABT_ERR_INV_THREAD_ATTR 17
#define ABT_ERR_INV_TASK 18
#define ABT_ERR_INV_KEY 19
#define ABT_ERR_INV_MUTEX 20
#define ABT_ERR_INV_MUTEX_ATTR 21
#define ABT_ERR_INV_COND 22
#define ABT_ERR_INV_RWLOCK 23
#define ABT_ERR_INV_EVENTUAL 24
#define ABT_ERR_INV_FUTURE 25
#define ABT_ERR_INV_BARRIER 26
#define ABT_ERR_INV_TIMER 27
#define ABT_ERR_INV_QUERY_KIND 28
#define ABT_ERR_INV_TOOL_CONTEXT 52
#define ABT_ERR_INV_ARG 53
#define ABT_ERR_INV_POOL_CONFIG 56
#define ABT_ERR_INV_POOL_USER_DEF 57
/** @} */

/** An object is in a state in which the call is not possible. */
/** @{ */
#define ABT_ERR_XSTREAM 29
#define ABT_ERR_XSTREAM_STATE 30
#define ABT_ERR_XSTREAM_BARRIER 31
#define ABT_ERR_SCHED 32
#define ABT_ERR_SCHED_CONFIG 33
#define ABT_ERR_POOL 34 /**< also: the pool has no such function */
#define ABT_ERR_UNIT 35 /**< also: the pool could not make a unit */
#define ABT_ERR_THREAD 36
#define ABT_ERR_TASK 37
#define ABT_ERR_KEY 38
#define ABT_ERR_MUTEX 39
#define ABT_ERR_MUTEX_LOCKED 40 /**< ABT_mutex_trylock: another caller has the mutex */
#define ABT_ERR_COND 41
#define ABT_ERR_COND_TIMEDOUT 42 /**< the time of a timed wait of any kind is over */
#define ABT_ERR_RWLOCK 43
#define ABT_ERR_EVENTUAL 44
#define ABT_ERR_FUTURE 45
#define ABT_ERR_BARRIER 46
#define ABT_ERR_TIMER 47
/** @} */

#define ABT_ERR_MIGRATION_TARGET 48 /**< the unit is there already, or there is no pool */
#define ABT_ERR_MIGRATION_NA 49     /**< there is no stream to migrate to */
#define ABT_ERR_MISSING_JOIN 50     /**< never returned */
#define ABT_ERR_FEATURE_NA 51       /**< not available in this build or on this system */
#define ABT_ERR_SYS 54              /**< the system or another library refused */
#define ABT_ERR_CPUID 55            /**< there is no such CPU, or the stream is not bound */

/** Gets the name of a code, such as "ABT_ERR_MEM". The name goes to str, with its terminating zero;
 * its length, without the zero, goes to *len. Either pointer may be NULL. Call it for the length
 * first, or pass 32 bytes, which are enough for all names.
 * Errors: ABT_ERR_OTHER (no such code; nothing is written).
 * Callers: any. Needs no ABT_init. */
int ABT_error_get_str(int err, char* str, size_t* len) ABT_API_PUBLIC;

#if defined(__cplusplus)
}
#endif

#endif /* ABT_ERROR_H_INCLUDED */
