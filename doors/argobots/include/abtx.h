/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What Lazult offers beyond Argobots, to programs that use abt.h. Argobots itself has none of
 * it: include it only where __has_include(<abtx.h>) says that it is there. The comments read as
 * abt.h's do. */
#ifndef ABTX_H_INCLUDED
#define ABTX_H_INCLUDED

#include "abt.h"

#if defined(__cplusplus)
extern "C" {
#endif

/** Techniques: how a ULT starts. All mix freely, also in one pool. Where one's need is not met,
 * the next one up is taken. */
enum ABTX_technique {
    ABTX_TECHNIQUE_ADAPTIVE, /**< the best of these by what ULTs of the same function did lately */
    ABTX_TECHNIQUE_FULL,     /**< a stack from its creation on */
    ABTX_TECHNIQUE_LAZY_STACK,           /**< a stack from its start on, as in Argobots */
    ABTX_TECHNIQUE_RETURN_ON_COMPLETION, /**< the same, but its end is a plain return unless it
                                            suspended */
    ABTX_TECHNIQUE_STACK_SEPARATION,   /**< a plain call on its own stack; the scheduler restarts if
                                          it   suspends */
    ABTX_TECHNIQUE_SCHEDULER_CREATION, /**< a plain call on the scheduler's stack, which it keeps if
                                          it suspends */
    ABTX_TECHNIQUE_RUN_TO_COMPLETION   /**< a plain call that may never suspend */
};
typedef enum ABTX_technique ABTX_technique; /**< The same without `enum`. */

/** Sets the technique of ULTs to be created with these attributes. A stack that
 * ABT_thread_attr_set_stack gave implies one with a stack of its own. Errors:
 * ABT_ERR_INV_THREAD_ATTR (null), ABT_ERR_INV_ARG (no such technique). Callers: any. Not at the
 * same time as another use of these attributes. */
int ABTX_thread_attr_set_technique(ABT_thread_attr attr, ABTX_technique technique) ABT_API_PUBLIC;

/**
 * The technique set; otherwise what LAZULT_TECHNIQUE says, and that is ADAPTIVE by default.
 * Errors: ABT_ERR_INV_THREAD_ATTR (null).
 * Callers: any. Not while it is being set.
 */
int ABTX_thread_attr_get_technique(ABT_thread_attr attr, ABTX_technique* technique) ABT_API_PUBLIC;

/** For ABT_sched_config_create or ABT_sched_config_set, an int: not 0 if a user's scheduler is
 * stateless. Its run may then be left for good in any call that runs a unit or suspends, and be
 * called anew with the same scheduler; so it holds no lock and nothing in variables of its own
 * over those calls (ABT_sched_set_data can keep things), and in C++ no object with a destructor.
 * Only under such schedulers, and the library's own, STACK_SEPARATION and SCHEDULER_CREATION
 * work.
 *     ABT_sched_config_create(&config, ABTX_sched_config_stateless, 1, ABT_sched_config_var_end);
 *     ABT_sched_create(&def, num_pools, pools, config, &sched); */
extern const ABT_sched_config_var ABTX_sched_config_stateless ABT_API_PUBLIC; /**< {-256, INT} */

/**
 * Lets others run for so many seconds, or a little more. Not positive: returns at once.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_THREAD (a tasklet), ABT_ERR_INV_ARG (not a number).
 * Callers: ULT, external thread. May suspend.
 */
int ABTX_thread_sleep_for(double seconds) ABT_API_PUBLIC;

/** The same until a time of CLOCK_REALTIME. Past: returns at once. Errors: ABT_ERR_UNINITIALIZED,
 * ABT_ERR_INV_THREAD (a tasklet), ABT_ERR_INV_ARG (tv_nsec is not from 0 to
 *   999,999,999).
 * Callers: ULT, external thread. May suspend. */
int ABTX_thread_sleep_until(const struct timespec* abstime) ABT_API_PUBLIC;

/* Timed waits. abstime is a time of CLOCK_REALTIME. What needs no waiting succeeds although the
 * time is over. */

/** Argobots has this one itself, in versions after 1.2. */
#define ABTX_eventual_timedwait ABT_eventual_timedwait

/** ABT_mutex_lock until a time at the latest. Errors: ABT_ERR_COND_TIMEDOUT (the time is over,
 * the mutex is not the caller's), ABT_ERR_INV_MUTEX (null),
 *   ABT_ERR_INV_ARG (tv_nsec is not from 0 to 999,999,999).
 * Callers: any. Needs no ABT_init. May suspend. */
int ABTX_mutex_timedlock(ABT_mutex mutex, const struct timespec* abstime) ABT_API_PUBLIC;

/** ABT_thread_join until a time at the latest. After that time the unit may be joined again.
 * Errors: ABT_ERR_COND_TIMEDOUT (the time is over), ABT_ERR_INV_THREAD (null; the caller; the
 * primary ULT; a main
 *   scheduler), ABT_ERR_INV_ARG (tv_nsec is not from 0 to 999,999,999).
 * Callers: any. May suspend. One joiner or freer of a unit at a time. */
int ABTX_thread_timedjoin(ABT_thread thread, const struct timespec* abstime) ABT_API_PUBLIC;

/*
 * Waits for the first of several.
 */

/** What one waits for. */
enum ABTX_wait_kind { ABTX_WAIT_THREAD, ABTX_WAIT_EVENTUAL };
typedef enum ABTX_wait_kind ABTX_wait_kind; /**< The same without `enum`. */

/** What to wait for: the end of a unit, or an eventual to be ready. A null handle is passed over.
 */
typedef struct {
    ABTX_wait_kind kind; /**< which of the two */
    union {
        ABT_thread thread;     /**< for ABTX_WAIT_THREAD */
        ABT_eventual eventual; /**< for ABTX_WAIT_EVENTUAL */
    } handle;                  /**< of it */
} ABTX_wait_item;

/** Joins the first of so many units that ends; which one goes to *index. Of those that have ended
 * it is the first in the list. The others are not touched. Null ones are passed over, so that
 * after ABT_thread_free the same list serves again:
 *     while (ABTX_thread_join_any(n, threads, &i) == ABT_SUCCESS) { use(results[i]);
 * ABT_thread_free(&threads[i]); } Errors: ABT_ERR_INV_ARG (num_threads < 0), ABT_ERR_INV_THREAD
 * (all null; one is the caller, the primary ULT or a main scheduler), ABT_ERR_MEM. On error: *index
 * = -1. Callers: any. May suspend. One joiner or freer of each unit at a time. */
int ABTX_thread_join_any(int num_threads, const ABT_thread* thread_list, int* index) ABT_API_PUBLIC;

/** The same for units and eventuals mixed, until a time at the latest; NULL means without limit.
 * A unit that is chosen is joined; an eventual that is chosen stays ready, and ABT_eventual_test
 * gives its value. Errors: ABT_ERR_COND_TIMEDOUT (the time is over), ABT_ERR_INV_ARG (num_items
 * < 0; all null; no such kind; tv_nsec
 *   is not from 0 to 999,999,999), ABT_ERR_INV_THREAD (the caller, the primary ULT or a main
 * scheduler is among them), ABT_ERR_EVENTUAL (by a tasklet, with an eventual that is not ready),
 * ABT_ERR_MEM. On error: *index = -1. Callers: any. May suspend. One joiner or freer of each unit
 * at a time. */
int ABTX_wait_any(int num_items, const ABTX_wait_item* items, const struct timespec* abstime,
                  int* index) ABT_API_PUBLIC;

#if defined(__cplusplus)
}
#endif

#endif /* ABTX_H_INCLUDED */
