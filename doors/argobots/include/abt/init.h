/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Start and end of the runtime. */
#ifndef ABT_INIT_H_INCLUDED
#define ABT_INIT_H_INCLUDED

#include "types.h"

#if defined(__cplusplus)
extern "C" {
#endif

/** Starts the runtime, or counts one more user of it. The first caller becomes the primary ULT, and
 * its OS thread the primary execution stream. At that time the library reads its settings from the
 * environment. The arguments are not used. Each call needs an ABT_finalize; after the last
 * ABT_finalize the runtime may be started again.
 * Errors: ABT_ERR_MEM, ABT_ERR_SYS, ABT_ERR_OTHER (the calling OS thread is already an execution
 * stream of another interface to Lazult, for example the main thread of a program that has made a
 * lazult::runtime; call ABT_init before that, or on another thread).
 * Callers: any. Needs no ABT_init. May suspend. Concurrent calls wait for each other. */
int ABT_init(int argc, char** argv) ABT_API_PUBLIC;

/** Undoes one ABT_init. The last call waits until the primary stream's scheduler has finished. Then
 * it frees that stream, its scheduler and its automatic pools. Join and free other streams first.
 * Errors: ABT_ERR_UNINITIALIZED; of the last call: ABT_ERR_INV_XSTREAM (not on the primary
 * stream), ABT_ERR_INV_THREAD (not by the primary ULT).
 * Callers: the caller of the matching ABT_init; for the last call, the primary ULT. May suspend. */
int ABT_finalize(void) ABT_API_PUBLIC;

/** Returns ABT_SUCCESS if the runtime is up.
 * Errors: ABT_ERR_UNINITIALIZED (it is not).
 * Callers: any, signal handlers too. Needs no ABT_init. */
int ABT_initialized(void) ABT_API_PUBLIC;

#if defined(__cplusplus)
}
#endif

#endif /* ABT_INIT_H_INCLUDED */
