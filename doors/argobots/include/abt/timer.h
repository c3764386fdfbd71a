/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Stopwatches. They do not wake anything; abtx.h has sleep and timed waits. */
#ifndef ABT_TIMER_H_INCLUDED
#define ABT_TIMER_H_INCLUDED

#include "types.h"

#if defined(__cplusplus)
extern "C" {
#endif

/** Returns the seconds since some moment in the past.
 * Callers: any. Needs no ABT_init. */
double ABT_get_wtime(void) ABT_API_PUBLIC;

/** Creates a timer. It must be started before it is read.
 * Errors: ABT_ERR_MEM, ABT_ERR_SYS.
 * On error: *newtimer = ABT_TIMER_NULL.
 * Callers: any. Needs no ABT_init. */
int ABT_timer_create(ABT_timer* newtimer) ABT_API_PUBLIC;

/** Creates a timer with the start and stop times of another timer.
 * Errors: ABT_ERR_INV_TIMER (null), ABT_ERR_MEM, ABT_ERR_SYS.
 * On error: *newtimer = ABT_TIMER_NULL.
 * Callers: any. Needs no ABT_init. Not while another caller starts or stops the other timer. */
int ABT_timer_dup(ABT_timer timer, ABT_timer* newtimer) ABT_API_PUBLIC;

/** Frees a timer and sets the handle to null.
 * Errors: ABT_ERR_INV_TIMER (null).
 * Callers: any. Needs no ABT_init. */
int ABT_timer_free(ABT_timer* timer) ABT_API_PUBLIC;

/** Sets the start time to the current time.
 * Errors: ABT_ERR_INV_TIMER (null).
 * Callers: any. Needs no ABT_init. Only one caller at a time may use a timer; the same holds for
 * all functions below. */
int ABT_timer_start(ABT_timer timer) ABT_API_PUBLIC;

/** Sets the stop time to the current time.
 * Errors: ABT_ERR_INV_TIMER (null).
 * Callers: any. Needs no ABT_init. */
int ABT_timer_stop(ABT_timer timer) ABT_API_PUBLIC;

/** Gets the seconds from the start time to the stop time. The result is undefined if one of them
 * was never set.
 * Errors: ABT_ERR_INV_TIMER (null).
 * Callers: any. Needs no ABT_init. */
int ABT_timer_read(ABT_timer timer, double* secs) ABT_API_PUBLIC;

/** Sets the stop time to the current time and reads the timer.
 * Errors: ABT_ERR_INV_TIMER (null).
 * Callers: any. Needs no ABT_init. */
int ABT_timer_stop_and_read(ABT_timer timer, double* secs) ABT_API_PUBLIC;

/** Sets the stop time to the current time and adds the timer's seconds to *secs.
 * Errors: ABT_ERR_INV_TIMER (null).
 * Callers: any. Needs no ABT_init. */
int ABT_timer_stop_and_add(ABT_timer timer, double* secs) ABT_API_PUBLIC;

/** Measures some thousand pairs of a start and a stop, and gets the average number of seconds for
 * one pair. It is a rough figure.
 * Errors: ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: any. Needs no ABT_init. */
int ABT_timer_get_overhead(double* overhead) ABT_API_PUBLIC;

#if defined(__cplusplus)
}
#endif

#endif /* ABT_TIMER_H_INCLUDED */
