/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Stopwatches. They wake nobody; abtx.h has sleep and timed waits. */
#ifndef ABT_TIMER_H_INCLUDED
#define ABT_TIMER_H_INCLUDED

#include "types.h"

#if defined(__cplusplus)
extern "C" {
#endif

/**
 * Seconds since some moment in the past.
 * Callers: any. Needs no ABT_init.
 */
double ABT_get_wtime(void) ABT_API_PUBLIC;

/**
 * Creates a timer. Start it before reading it.
 * Errors: ABT_ERR_MEM, ABT_ERR_SYS.
 * On error: *newtimer = ABT_TIMER_NULL. Callers: any. Needs no ABT_init.
 */
int ABT_timer_create(ABT_timer* newtimer) ABT_API_PUBLIC;

/** Creates a timer with the start and stop times of another one. Errors: ABT_ERR_INV_TIMER
 * (null), ABT_ERR_MEM, ABT_ERR_SYS. On error: *newtimer = ABT_TIMER_NULL. Callers: any. Needs no
 * ABT_init. Not while the other is started or stopped. */
int ABT_timer_dup(ABT_timer timer, ABT_timer* newtimer) ABT_API_PUBLIC;

/**
 * Frees a timer and sets the handle to null.
 * Errors: ABT_ERR_INV_TIMER (null).
 * Callers: any. Needs no ABT_init.
 */
int ABT_timer_free(ABT_timer* timer) ABT_API_PUBLIC;

/** Sets the start time to now. Errors: ABT_ERR_INV_TIMER (null). Callers: any. Needs no ABT_init.
 * One user of a timer at a time; so it is with all functions below. */
int ABT_timer_start(ABT_timer timer) ABT_API_PUBLIC;

/**
 * Sets the stop time to now.
 * Errors: ABT_ERR_INV_TIMER (null).
 * Callers: any. Needs no ABT_init.
 */
int ABT_timer_stop(ABT_timer timer) ABT_API_PUBLIC;

/**
 * Seconds from the start time to the stop time. Not defined if one was never set.
 * Errors: ABT_ERR_INV_TIMER (null).
 * Callers: any. Needs no ABT_init.
 */
int ABT_timer_read(ABT_timer timer, double* secs) ABT_API_PUBLIC;

/**
 * Sets the stop time to now and reads the timer.
 * Errors: ABT_ERR_INV_TIMER (null).
 * Callers: any. Needs no ABT_init.
 */
int ABT_timer_stop_and_read(ABT_timer timer, double* secs) ABT_API_PUBLIC;

/**
 * Sets the stop time to now and adds what the timer reads to *secs.
 * Errors: ABT_ERR_INV_TIMER (null).
 * Callers: any. Needs no ABT_init.
 */
int ABT_timer_stop_and_add(ABT_timer timer, double* secs) ABT_API_PUBLIC;

/** Seconds that a start and a stop take, on average over some thousand pairs measured now. A
 * rough figure. Errors: ABT_ERR_MEM, ABT_ERR_SYS. Callers: any. Needs no ABT_init. */
int ABT_timer_get_overhead(double* overhead) ABT_API_PUBLIC;

#if defined(__cplusplus)
}
#endif

#endif /* ABT_TIMER_H_INCLUDED */
