/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Barriers at which units wait. abt/xstream_barrier.h has barriers for whole streams. */
#ifndef ABT_BARRIER_H_INCLUDED
#define ABT_BARRIER_H_INCLUDED

#include "types.h"

#if defined(__cplusplus)
extern "C" {
#endif

/** Creates a barrier for num_waiters callers.
 * Errors: ABT_ERR_INV_ARG (num_waiters is 0), ABT_ERR_MEM, ABT_ERR_SYS.
 * On error: *newbarrier = ABT_BARRIER_NULL.
 * Callers: any. */
int ABT_barrier_create(uint32_t num_waiters, ABT_barrier* newbarrier) ABT_API_PUBLIC;

/** Changes the number of callers. No caller may be waiting at the barrier.
 * Errors: ABT_ERR_INV_BARRIER (null), ABT_ERR_INV_ARG (num_waiters is 0).
 * Callers: any. Not at the same time as another use of this barrier. */
int ABT_barrier_reinit(ABT_barrier barrier, uint32_t num_waiters) ABT_API_PUBLIC;

/** Frees a barrier and sets the handle to null. No caller may be waiting at the barrier.
 * Errors: ABT_ERR_INV_BARRIER (null).
 * Callers: any. */
int ABT_barrier_free(ABT_barrier* barrier) ABT_API_PUBLIC;

/** Waits until num_waiters callers wait here. The next round may begin at once after that.
 * Errors: ABT_ERR_INV_BARRIER (null), ABT_ERR_BARRIER (a tasklet).
 * Callers: ULT, external thread. May suspend. */
int ABT_barrier_wait(ABT_barrier barrier) ABT_API_PUBLIC;

/** Gets the number of callers that the barrier waits for.
 * Errors: ABT_ERR_INV_BARRIER (null).
 * Callers: any. Not while another caller changes that number. */
int ABT_barrier_get_num_waiters(ABT_barrier barrier, uint32_t* num_waiters) ABT_API_PUBLIC;

#if defined(__cplusplus)
}
#endif

#endif /* ABT_BARRIER_H_INCLUDED */
