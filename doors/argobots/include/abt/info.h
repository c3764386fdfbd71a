/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Queries about the library, and printing for debugging. */
#ifndef ABT_INFO_H_INCLUDED
#define ABT_INFO_H_INCLUDED

#include "types.h"

#if defined(__cplusplus)
extern "C" {
#endif

/** What to query. The answer is an ABT_bool unless another type is named here. */
enum ABT_info_query_kind {
    ABT_INFO_QUERY_KIND_ENABLED_DEBUG,
    ABT_INFO_QUERY_KIND_ENABLED_PRINT_ERRNO, /**< errors are printed */
    ABT_INFO_QUERY_KIND_ENABLED_LOG,
    ABT_INFO_QUERY_KIND_ENABLED_VALGRIND,
    ABT_INFO_QUERY_KIND_ENABLED_CHECK_ERROR,         /**< arguments are checked */
    ABT_INFO_QUERY_KIND_ENABLED_CHECK_POOL_PRODUCER, /**< ABT_pool_access is checked at pushes */
    ABT_INFO_QUERY_KIND_ENABLED_CHECK_POOL_CONSUMER, /**< ABT_pool_access is checked at pops */
    ABT_INFO_QUERY_KIND_ENABLED_PRESERVE_FPU, /**< switches keep the floating-point control words */
    ABT_INFO_QUERY_KIND_ENABLED_THREAD_CANCEL,
    ABT_INFO_QUERY_KIND_ENABLED_TASK_CANCEL,
    ABT_INFO_QUERY_KIND_ENABLED_MIGRATION,
    ABT_INFO_QUERY_KIND_ENABLED_STACKABLE_SCHED,  /**< ABT_pool_add_sched works */
    ABT_INFO_QUERY_KIND_ENABLED_EXTERNAL_THREAD,  /**< external threads may call in */
    ABT_INFO_QUERY_KIND_ENABLED_SCHED_SLEEP,      /**< idle schedulers sleep */
    ABT_INFO_QUERY_KIND_ENABLED_PRINT_CONFIG,     /**< ABT_init prints the settings */
    ABT_INFO_QUERY_KIND_ENABLED_AFFINITY,         /**< streams are bound to CPUs */
    ABT_INFO_QUERY_KIND_MAX_NUM_XSTREAMS,         /**< unsigned int */
    ABT_INFO_QUERY_KIND_DEFAULT_THREAD_STACKSIZE, /**< size_t, bytes */
    ABT_INFO_QUERY_KIND_DEFAULT_SCHED_STACKSIZE,  /**< size_t, bytes */
    ABT_INFO_QUERY_KIND_DEFAULT_SCHED_EVENT_FREQ, /**< uint64_t, rounds between event checks */
    ABT_INFO_QUERY_KIND_DEFAULT_SCHED_SLEEP_NSEC, /**< uint64_t, nanoseconds */
    ABT_INFO_QUERY_KIND_ENABLED_TOOL,             /**< abt/tool.h works */
    ABT_INFO_QUERY_KIND_FCONTEXT,          /**< context switches are the library's own assembly */
    ABT_INFO_QUERY_KIND_DYNAMIC_PROMOTION, /**< ULTs become full threads only when they suspend */
    ABT_INFO_QUERY_KIND_ENABLED_STACK_UNWIND, /**< ABT_info_print_thread_stack shows functions */
    ABT_INFO_QUERY_KIND_ENABLED_STACK_OVERFLOW_CHECK, /**< int: 0 none, 1 canary, 2 guard pages, 3
                                                         guard pages or an error */
    ABT_INFO_QUERY_KIND_WAIT_POLICY, /**< int: waiting external threads sleep (0) or spin (1) */
    ABT_INFO_QUERY_KIND_ENABLED_LAZY_STACK_ALLOC /**< ULTs get stacks when they start */
};
typedef enum ABT_info_query_kind ABT_info_query_kind; /**< The same without `enum`. */

/** Answers a query: writes the answer, of the type that belongs to query_kind, to where val points.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_QUERY_KIND (no such kind).
 * Callers: any. */
int ABT_info_query_config(ABT_info_query_kind query_kind, void* val) ABT_API_PUBLIC;

/** Prints the settings. All printed texts, here and below, are for human readers and may change.
 * Errors: ABT_ERR_UNINITIALIZED.
 * Callers: any. */
int ABT_info_print_config(FILE* fp) ABT_API_PUBLIC;

/** Prints all streams.
 * Errors: ABT_ERR_UNINITIALIZED.
 * Callers: any. */
int ABT_info_print_all_xstreams(FILE* fp) ABT_API_PUBLIC;

/** Prints a stream.
 * Errors: ABT_ERR_INV_XSTREAM (null).
 * Callers: any. */
int ABT_info_print_xstream(FILE* fp, ABT_xstream xstream) ABT_API_PUBLIC;

/** Prints a scheduler and its pools.
 * Errors: ABT_ERR_INV_SCHED (null).
 * Callers: any. */
int ABT_info_print_sched(FILE* fp, ABT_sched sched) ABT_API_PUBLIC;

/** Prints a pool.
 * Errors: ABT_ERR_INV_POOL (null).
 * Callers: any. */
int ABT_info_print_pool(FILE* fp, ABT_pool pool) ABT_API_PUBLIC;

/** Prints a ULT or a tasklet.
 * Errors: ABT_ERR_INV_THREAD (null).
 * Callers: any. */
int ABT_info_print_thread(FILE* fp, ABT_thread thread) ABT_API_PUBLIC;

/** Prints attributes.
 * Errors: ABT_ERR_INV_THREAD_ATTR (null).
 * Callers: any. */
int ABT_info_print_thread_attr(FILE* fp, ABT_thread_attr attr) ABT_API_PUBLIC;

/** Prints a ULT or a tasklet.
 * Errors: ABT_ERR_INV_TASK (null).
 * Callers: any. */
int ABT_info_print_task(FILE* fp, ABT_task task) ABT_API_PUBLIC;

/** Prints a unit's stack, or that it has none. The unit should not be running.
 * Errors: ABT_ERR_INV_THREAD (null).
 * Callers: any. May suspend. */
int ABT_info_print_thread_stack(FILE* fp, ABT_thread thread) ABT_API_PUBLIC;

/** Prints the stacks of all units in a pool. The result is best if no caller pushes or pops
 * meanwhile.
 * Errors: ABT_ERR_INV_POOL (null), ABT_ERR_POOL (a user's pool without that function).
 * Callers: any. May suspend. */
int ABT_info_print_thread_stacks_in_pool(FILE* fp, ABT_pool pool) ABT_API_PUBLIC;

/** Requests the stacks of all units in the pools of all main schedulers, and returns. They are
 * printed when all streams have come to ABT_xstream_check_events. If timeout is not negative, they
 * are printed after that many seconds at the latest; then streams that still run may spoil the
 * print, or make it fail. After the print cb_func, unless it is NULL, is called with ABT_TRUE if
 * the time was over, and with arg. It is undefined which thread calls it. Suspended units are not
 * shown. A later request replaces an earlier one.
 * Errors: none.
 * Callers: any, signal handlers too. */
int ABT_info_trigger_print_all_thread_stacks(FILE* fp, double timeout,
                                             void (*cb_func)(ABT_bool, void*),
                                             void* arg) ABT_API_PUBLIC;

#if defined(__cplusplus)
}
#endif

#endif /* ABT_INFO_H_INCLUDED */
