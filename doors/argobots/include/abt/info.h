/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What the library is and does, for programs that ask and for debugging. */
#ifndef ABT_INFO_H_INCLUDED
#define ABT_INFO_H_INCLUDED

#include "types.h"

#if defined(__cplusplus)
extern "C" {
#endif

/** Questions, and the type of the answer where it is not ABT_bool. */
enum ABT_info_query_kind {
    ABT_INFO_QUERY_KIND_ENABLED_DEBUG,
    ABT_INFO_QUERY_KIND_ENABLED_PRINT_ERRNO, /**< errors are printed */
    ABT_INFO_QUERY_KIND_ENABLED_LOG,
    ABT_INFO_QUERY_KIND_ENABLED_VALGRIND,
    ABT_INFO_QUERY_KIND_ENABLED_CHECK_ERROR,         /**< arguments are checked */
    ABT_INFO_QUERY_KIND_ENABLED_CHECK_POOL_PRODUCER, /**< ABT_pool_access is checked at pushes */
    ABT_INFO_QUERY_KIND_ENABLED_CHECK_POOL_CONSUMER, /**< and at pops */
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
    ABT_INFO_QUERY_KIND_FCONTEXT,                 /**< switches are assembly of the library's own */
    ABT_INFO_QUERY_KIND_DYNAMIC_PROMOTION, /**< ULTs become fully fledged only when they suspend */
    ABT_INFO_QUERY_KIND_ENABLED_STACK_UNWIND, /**< ABT_info_print_thread_stack shows functions */
    ABT_INFO_QUERY_KIND_ENABLED_STACK_OVERFLOW_CHECK, /**< int: 0 none, 1 canary, 2 guard pages, 3
                                                         or failure */
    ABT_INFO_QUERY_KIND_WAIT_POLICY, /**< int: 0 external threads sleep while they wait, 1 they spin
                                      */
    ABT_INFO_QUERY_KIND_ENABLED_LAZY_STACK_ALLOC /**< ULTs get stacks when they start */
};
typedef enum ABT_info_query_kind ABT_info_query_kind; /**< The same without `enum`. */

/**
 * Answers a question into what val points to. No more is written than the type of the answer holds.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_QUERY_KIND (no such kind).
 * Callers: any.
 */
int ABT_info_query_config(ABT_info_query_kind query_kind, void* val) ABT_API_PUBLIC;

/**
 * Prints the settings. What is printed, here and below, is for people and may change.
 * Errors: ABT_ERR_UNINITIALIZED.
 * Callers: any.
 */
int ABT_info_print_config(FILE* fp) ABT_API_PUBLIC;

/**
 * Prints all streams.
 * Errors: ABT_ERR_UNINITIALIZED.
 * Callers: any.
 */
int ABT_info_print_all_xstreams(FILE* fp) ABT_API_PUBLIC;

/**
 * Prints a stream.
 * Errors: ABT_ERR_INV_XSTREAM (null).
 * Callers: any.
 */
int ABT_info_print_xstream(FILE* fp, ABT_xstream xstream) ABT_API_PUBLIC;

/**
 * Prints a scheduler and its pools.
 * Errors: ABT_ERR_INV_SCHED (null).
 * Callers: any.
 */
int ABT_info_print_sched(FILE* fp, ABT_sched sched) ABT_API_PUBLIC;

/**
 * Prints a pool.
 * Errors: ABT_ERR_INV_POOL (null).
 * Callers: any.
 */
int ABT_info_print_pool(FILE* fp, ABT_pool pool) ABT_API_PUBLIC;

/**
 * Prints a unit.
 * Errors: ABT_ERR_INV_THREAD (null).
 * Callers: any.
 */
int ABT_info_print_thread(FILE* fp, ABT_thread thread) ABT_API_PUBLIC;

/**
 * Prints attributes.
 * Errors: ABT_ERR_INV_THREAD_ATTR (null).
 * Callers: any.
 */
int ABT_info_print_thread_attr(FILE* fp, ABT_thread_attr attr) ABT_API_PUBLIC;

/**
 * Prints a unit.
 * Errors: ABT_ERR_INV_TASK (null).
 * Callers: any.
 */
int ABT_info_print_task(FILE* fp, ABT_task task) ABT_API_PUBLIC;

/**
 * Prints a unit's stack, or that it has none. It should not run meanwhile.
 * Errors: ABT_ERR_INV_THREAD (null).
 * Callers: any. May suspend.
 */
int ABT_info_print_thread_stack(FILE* fp, ABT_thread thread) ABT_API_PUBLIC;

/**
 * Prints the stacks of all units in a pool. Best while nobody pushes or pops.
 * Errors: ABT_ERR_INV_POOL (null), ABT_ERR_POOL (a user's pool without that function).
 * Callers: any. May suspend.
 */
int ABT_info_print_thread_stacks_in_pool(FILE* fp, ABT_pool pool) ABT_API_PUBLIC;

/** Asks for the stacks of all units in the pools of all main schedulers, and returns. They are
 * printed once all streams have come to ABT_xstream_check_events, or, if timeout is not
 * negative, after so many seconds at the latest, which may go wrong with streams that still run.
 * Then cb_func, if not NULL, is called with whether that time was over, and with arg. It is not
 * defined which thread calls it. Suspended units are not shown. A later request replaces an
 * earlier one. Errors: none. Callers: any, signal handlers too. */
int ABT_info_trigger_print_all_thread_stacks(FILE* fp, double timeout,
                                             void (*cb_func)(ABT_bool, void*),
                                             void* arg) ABT_API_PUBLIC;

#if defined(__cplusplus)
}
#endif

#endif /* ABT_INFO_H_INCLUDED */
