/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Execution streams: OS threads that run units, each with a main scheduler. */
#ifndef ABT_XSTREAM_H_INCLUDED
#define ABT_XSTREAM_H_INCLUDED

#include "sched.h"
#include "types.h"

#if defined(__cplusplus)
extern "C" {
#endif

/** The state of a stream. */
enum ABT_xstream_state {
    ABT_XSTREAM_STATE_RUNNING,   /**< runs units, or looks for them */
    ABT_XSTREAM_STATE_TERMINATED /**< joined; the stream may be revived or freed */
};
typedef enum ABT_xstream_state ABT_xstream_state; /**< The same without `enum`. */

/** Not used by any function. */
#define ABT_XSTREAM_ANY_RANK -1

/** Starts a stream with the lowest free rank. If sched is null, the stream gets a new default
 * scheduler with a pool of its own. A scheduler serves one stream. The caller must free the
 * scheduler after the stream, unless it is automatic.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_SCHED (in use), ABT_ERR_MEM, ABT_ERR_SYS.
 * On error: *newxstream = ABT_XSTREAM_NULL.
 * Callers: any. */
int ABT_xstream_create(ABT_sched sched, ABT_xstream* newxstream) ABT_API_PUBLIC;

/** Does what ABT_sched_create_basic and then ABT_xstream_create do. If it fails, the caller keeps
 * the pools that it passed.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_ARG (num_pools < 0), ABT_ERR_INV_SCHED_PREDEF (there
 * is no such scheduler), ABT_ERR_MEM, ABT_ERR_SYS.
 * On error: *newxstream = ABT_XSTREAM_NULL.
 * Callers: any. */
int ABT_xstream_create_basic(ABT_sched_predef predef, int num_pools, ABT_pool* pools,
                             ABT_sched_config config, ABT_xstream* newxstream) ABT_API_PUBLIC;

/** Does what ABT_xstream_create does, with this rank.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_XSTREAM_RANK (negative or taken), ABT_ERR_INV_SCHED
 * (in use), ABT_ERR_MEM, ABT_ERR_SYS.
 * On error: *newxstream = ABT_XSTREAM_NULL.
 * Callers: any. */
int ABT_xstream_create_with_rank(ABT_sched sched, int rank, ABT_xstream* newxstream) ABT_API_PUBLIC;

/** Joins a stream unless it has been joined, frees the stream and its automatic scheduler, and sets
 * the handle to null.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_XSTREAM (null; the primary stream; the caller's own
 * stream). In case of an error the handle stays.
 * Callers: any. May suspend. Only one caller at a time may join or free a stream. */
int ABT_xstream_free(ABT_xstream* xstream) ABT_API_PUBLIC;

/** Asks a stream to end when the pools of its main scheduler are empty, and waits until it has
 * ended.
 * Errors: ABT_ERR_INV_XSTREAM (null; the primary stream; the caller is the stream's own main
 * scheduler).
 * Callers: any, but no unit of that stream, because it would wait for itself. May suspend. Only
 * one caller at a time may join a stream. */
int ABT_xstream_join(ABT_xstream xstream) ABT_API_PUBLIC;

/** Starts a joined stream again, with the main scheduler that it had or that was set since.
 * Errors: ABT_ERR_INV_XSTREAM (null; still running).
 * Callers: any. Not at the same time as another call on this stream. */
int ABT_xstream_revive(ABT_xstream xstream) ABT_API_PUBLIC;

/** Asks the caller's stream to end even if its pools hold units, and ends the calling ULT. This
 * function returns only in case of an error.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_XSTREAM (the primary stream; an external thread),
 * ABT_ERR_INV_THREAD (a tasklet).
 * Callers: ULT. */
int ABT_xstream_exit(void) ABT_API_PUBLIC;

/** Asks a stream to end even if its pools hold units. The stream ends when its scheduler checks
 * events. The stream must still be joined.
 * Errors: ABT_ERR_INV_XSTREAM (null; the primary stream).
 * Callers: any. */
int ABT_xstream_cancel(ABT_xstream xstream) ABT_API_PUBLIC;

/** Gets the caller's stream. ABT_self_get_xstream is the newer name.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_XSTREAM (an external thread).
 * On error: *xstream = ABT_XSTREAM_NULL.
 * Callers: unit. */
int ABT_xstream_self(ABT_xstream* xstream) ABT_API_PUBLIC;

/** Gets the rank of the caller's stream. ABT_self_get_xstream_rank is the newer name.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_XSTREAM (an external thread).
 * Callers: unit. */
int ABT_xstream_self_rank(int* rank) ABT_API_PUBLIC;

/** Gives a stream another rank and, if streams are bound, the CPU that goes with that rank. The old
 * rank becomes free.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_XSTREAM (null; the primary stream),
 * ABT_ERR_INV_XSTREAM_RANK (negative or taken), ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: any. */
int ABT_xstream_set_rank(ABT_xstream xstream, int rank) ABT_API_PUBLIC;

/** Gets a stream's rank. The primary stream has rank 0.
 * Errors: ABT_ERR_INV_XSTREAM (null).
 * Callers: any. */
int ABT_xstream_get_rank(ABT_xstream xstream, int* rank) ABT_API_PUBLIC;

/** Replaces a stream's main scheduler; a null sched means a new default scheduler. The old
 * scheduler is freed if it is automatic; the caller must take care of units in its pools. In a
 * joined stream the new scheduler serves when the stream is revived. In a running stream the
 * caller must be a ULT that the main scheduler runs directly. If it belonged to a pool of the old
 * scheduler, it moves to the first pool of the new one.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_XSTREAM (null; an external thread),
 * ABT_ERR_INV_THREAD (a tasklet), ABT_ERR_XSTREAM_STATE (the stream is running and is not the
 * caller's), ABT_ERR_INV_SCHED (in use), ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: ULT. May suspend. Not at the same time as another call on this stream or scheduler. */
int ABT_xstream_set_main_sched(ABT_xstream xstream, ABT_sched sched) ABT_API_PUBLIC;

/** Does what ABT_sched_create_basic and then ABT_xstream_set_main_sched do. If it fails, the caller
 * keeps the pools that it passed.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_XSTREAM (null; an external thread),
 * ABT_ERR_INV_THREAD (a tasklet), ABT_ERR_XSTREAM_STATE (the stream is running and is not the
 * caller's), ABT_ERR_INV_ARG (num_pools < 0), ABT_ERR_INV_SCHED_PREDEF (there is no such
 * scheduler), ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: ULT. May suspend. Not at the same time as another call on this stream. */
int ABT_xstream_set_main_sched_basic(ABT_xstream xstream, ABT_sched_predef predef, int num_pools,
                                     ABT_pool* pools) ABT_API_PUBLIC;

/** Gets a stream's main scheduler.
 * Errors: ABT_ERR_INV_XSTREAM (null).
 * Callers: any. Not while the scheduler is being replaced. */
int ABT_xstream_get_main_sched(ABT_xstream xstream, ABT_sched* sched) ABT_API_PUBLIC;

/** Gets the first max_pools pools of a stream's main scheduler, or all pools if it has fewer.
 * Further entries of pools stay as they were.
 * Errors: ABT_ERR_INV_XSTREAM (null), ABT_ERR_INV_ARG (max_pools < 0).
 * Callers: any. Not while the scheduler is being replaced. */
int ABT_xstream_get_main_pools(ABT_xstream xstream, int max_pools, ABT_pool* pools) ABT_API_PUBLIC;

/** Gets whether a stream runs or has ended.
 * Errors: ABT_ERR_INV_XSTREAM (null).
 * Callers: any. */
int ABT_xstream_get_state(ABT_xstream xstream, ABT_xstream_state* state) ABT_API_PUBLIC;

/** Tests whether two handles name the same stream, or are both null. Comparing the handles is the
 * same.
 * Errors: none.
 * Callers: any. Needs no ABT_init. */
int ABT_xstream_equal(ABT_xstream xstream1, ABT_xstream xstream2, ABT_bool* result) ABT_API_PUBLIC;

/** Gets the number of streams, including joined streams that are not freed.
 * Errors: ABT_ERR_UNINITIALIZED.
 * Callers: any. */
int ABT_xstream_get_num(int* num_xstreams) ABT_API_PUBLIC;

/** Tests whether a stream is the primary one, which belongs to the OS thread that called ABT_init.
 * Errors: ABT_ERR_INV_XSTREAM (null).
 * Callers: any. */
int ABT_xstream_is_primary(ABT_xstream xstream, ABT_bool* is_primary) ABT_API_PUBLIC;

/** Runs a unit as the caller's child, until the unit ends or gives way. The caller must have popped
 * the unit. The unit belongs to pool from then on, and goes there when it is ready again. It is
 * meant for schedulers; ABT_self_schedule is the newer function.
 * Errors: ABT_ERR_INV_POOL (null), ABT_ERR_INV_UNIT (null), ABT_ERR_UNINITIALIZED,
 * ABT_ERR_INV_XSTREAM (an external thread), ABT_ERR_INV_THREAD (a tasklet), ABT_ERR_UNIT (the pool
 * could not make a unit), ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: ULT. May suspend. The unit must be ready and in no pool. */
int ABT_xstream_run_unit(ABT_unit unit, ABT_pool pool) ABT_API_PUBLIC;

/** Handles requests to join or cancel the stream or to print stacks. A user's scheduler calls it
 * now and then, for example every 50 rounds, and calls ABT_sched_has_to_stop after it.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_XSTREAM (an external thread), ABT_ERR_INV_SCHED
 * (null), ABT_ERR_INV_THREAD (the caller is not this scheduler).
 * Callers: the ULT that runs this scheduler. May suspend. */
int ABT_xstream_check_events(ABT_sched sched) ABT_API_PUBLIC;

/* The four functions below return ABT_ERR_FEATURE_NA unless ABT_SET_AFFINITY binds the streams, or
 * LAZULT_ABT_AFFINITY=on permits these functions without that. */

/** Binds a stream to one CPU. CPUs have the numbers of the operating system.
 * Errors: ABT_ERR_INV_XSTREAM (null), ABT_ERR_SYS (no such CPU, or not for this process),
 * ABT_ERR_FEATURE_NA.
 * Callers: any. Not at the same time as another binding of this stream. */
int ABT_xstream_set_cpubind(ABT_xstream xstream, int cpuid) ABT_API_PUBLIC;

/** Gets a CPU to which a stream is bound, or one of them if there are several.
 * Errors: ABT_ERR_INV_XSTREAM (null), ABT_ERR_CPUID (the stream is not bound), ABT_ERR_SYS,
 * ABT_ERR_FEATURE_NA.
 * Callers: any. */
int ABT_xstream_get_cpubind(ABT_xstream xstream, int* cpuid) ABT_API_PUBLIC;

/** Binds a stream to several CPUs. If num_cpuids is 0, these are all CPUs that the process had when
 * the runtime started.
 * Errors: ABT_ERR_INV_XSTREAM (null), ABT_ERR_INV_ARG (num_cpuids < 0), ABT_ERR_SYS (none of these
 * CPUs exists, or none is allowed for this process), ABT_ERR_FEATURE_NA.
 * Callers: any. Not at the same time as another binding of this stream. */
int ABT_xstream_set_affinity(ABT_xstream xstream, int num_cpuids, int* cpuids) ABT_API_PUBLIC;

/** Gets at most max_cpuids of the CPUs to which a stream is bound, in ascending order, and their
 * total number in *num_cpuids. num_cpuids may be NULL. Further entries of cpuids stay as they
 * were.
 * Errors: ABT_ERR_INV_XSTREAM (null), ABT_ERR_INV_ARG (max_cpuids < 0), ABT_ERR_SYS,
 * ABT_ERR_FEATURE_NA.
 * Callers: any. */
int ABT_xstream_get_affinity(ABT_xstream xstream, int max_cpuids, int* cpuids,
                             int* num_cpuids) ABT_API_PUBLIC;

#if defined(__cplusplus)
}
#endif

#endif /* ABT_XSTREAM_H_INCLUDED */
