/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The runtime's beginning and end. */
#ifndef ABT_INIT_H_INCLUDED
#define ABT_INIT_H_INCLUDED

#include "types.h"

#if defined(__cplusplus)
extern "C" {
#endif

/** Starts the runtime, or counts one more user of it. The first caller becomes the primary ULT,
 * its OS thread the primary execution stream. Settings are read from the environment then. The
 * arguments are not used. Each call needs an ABT_finalize; after the last one the runtime may be
 * started again. Errors: ABT_ERR_MEM, ABT_ERR_SYS, ABT_ERR_OTHER (the calling OS thread is an
 * execution stream of another door's, such as the
 *   main thread of a program that made a lazult::runtime: call this before, or on another thread).
 * Callers: any. Needs no ABT_init. May suspend. Calls at the same time wait for each other. */
int ABT_init(int argc, char** argv) ABT_API_PUBLIC;

/** Takes back one ABT_init. The last one waits until the primary stream's scheduler has finished,
 * then frees that stream, its scheduler and automatic pools. Join and free other streams first.
 * Errors: ABT_ERR_UNINITIALIZED; of the last call: ABT_ERR_INV_XSTREAM (not on the primary
 * stream),
 *   ABT_ERR_INV_THREAD (not by the primary ULT).
 * Callers: the one of the matching ABT_init; for the last call the primary ULT. May suspend. */
int ABT_finalize(void) ABT_API_PUBLIC;

/**
 * Whether the runtime lives.
 * Errors: ABT_ERR_UNINITIALIZED (it does not).
 * Callers: any, signal handlers too. Needs no ABT_init.
 */
int ABT_initialized(void) ABT_API_PUBLIC;

#if defined(__cplusplus)
}
#endif

#endif /* ABT_INIT_H_INCLUDED */
