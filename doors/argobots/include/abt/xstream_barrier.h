/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * A barrier at which whole execution streams wait. For units there is abt/barrier.h. */
#ifndef ABT_XSTREAM_BARRIER_H_INCLUDED
#define ABT_XSTREAM_BARRIER_H_INCLUDED

#include "types.h"

#if defined(__cplusplus)
extern "C" {
#endif

/** Creates a barrier for num_waiters callers.
 * Errors: ABT_ERR_INV_ARG (num_waiters is 0), ABT_ERR_MEM, ABT_ERR_SYS.
 * On error: *newbarrier = ABT_XSTREAM_BARRIER_NULL.
 * Callers: any. */
int ABT_xstream_barrier_create(uint32_t num_waiters,
                               ABT_xstream_barrier* newbarrier) ABT_API_PUBLIC;

/** Frees a barrier and sets the handle to null. No caller may be waiting at the barrier.
 * Errors: ABT_ERR_INV_XSTREAM_BARRIER (null).
 * Callers: any. */
int ABT_xstream_barrier_free(ABT_xstream_barrier* barrier) ABT_API_PUBLIC;

/** Waits until num_waiters callers wait here. The next round may begin at once after that. The wait
 * blocks the caller's OS thread and with it all units of its stream, so two units of one stream
 * may not wait at the same barrier.
 * Errors: ABT_ERR_INV_XSTREAM_BARRIER (null).
 * Callers: any. */
int ABT_xstream_barrier_wait(ABT_xstream_barrier barrier) ABT_API_PUBLIC;

#if defined(__cplusplus)
}
#endif

#endif /* ABT_XSTREAM_BARRIER_H_INCLUDED */
