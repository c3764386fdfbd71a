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

/** What a stream does at this moment. */
enum ABT_xstream_state {
    ABT_XSTREAM_STATE_RUNNING,   /**< runs units, or looks for them */
    ABT_XSTREAM_STATE_TERMINATED /**< joined; it may be revived or freed */
};
typedef enum ABT_xstream_state ABT_xstream_state; /**< The same without `enum`. */

/** No function takes it. */
#define ABT_XSTREAM_ANY_RANK -1

/** Starts a stream with the lowest free rank. A null sched means a new default scheduler with a
 * pool of its own. The scheduler serves this stream alone, and is the caller's to free after the
 * stream unless it is automatic. Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_SCHED (in use),
 * ABT_ERR_MEM, ABT_ERR_SYS. On error: *newxstream = ABT_XSTREAM_NULL. Callers: any. */
int ABT_xstream_create(ABT_sched sched, ABT_xstream* newxstream) ABT_API_PUBLIC;

/** ABT_sched_create_basic and ABT_xstream_create in one. Pools that are given stay the caller's
 * when it fails. Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_ARG (num_pools < 0),
 * ABT_ERR_INV_SCHED_PREDEF (no such predef),
 *   ABT_ERR_MEM, ABT_ERR_SYS.
 * On error: *newxstream = ABT_XSTREAM_NULL. Callers: any. */
int ABT_xstream_create_basic(ABT_sched_predef predef, int num_pools, ABT_pool* pools,
                             ABT_sched_config config, ABT_xstream* newxstream) ABT_API_PUBLIC;

/** ABT_xstream_create with this rank. Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_XSTREAM_RANK
 * (negative or taken), ABT_ERR_INV_SCHED (in use),
 *   ABT_ERR_MEM, ABT_ERR_SYS.
 * On error: *newxstream = ABT_XSTREAM_NULL. Callers: any. */
int ABT_xstream_create_with_rank(ABT_sched sched, int rank, ABT_xstream* newxstream) ABT_API_PUBLIC;

/** Joins a stream unless that is done, frees it and its automatic scheduler, and sets the handle
 * to null. Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_XSTREAM (null; the primary one; the
 * caller's own). The handle then
 *   stays.
 * Callers: any. May suspend. One joiner or freer of a stream at a time. */
int ABT_xstream_free(ABT_xstream* xstream) ABT_API_PUBLIC;

/** Asks a stream to end once the pools of its main scheduler are empty, and waits for that.
 * Errors: ABT_ERR_INV_XSTREAM (null; the primary one; by its own main scheduler). Callers: any,
 * but no unit of that stream, which would wait for itself. May suspend. One joiner at a time. */
int ABT_xstream_join(ABT_xstream xstream) ABT_API_PUBLIC;

/**
 * Starts a joined stream again, with the same main scheduler or the one set since.
 * Errors: ABT_ERR_INV_XSTREAM (null; still running).
 * Callers: any. Not at the same time as another call on this stream.
 */
int ABT_xstream_revive(ABT_xstream xstream) ABT_API_PUBLIC;

/** Asks the caller's stream to end whatever its pools hold, and ends the calling ULT. Returns on
 * error only. Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_XSTREAM (the primary stream; an
 * external thread), ABT_ERR_INV_THREAD
 *   (a tasklet).
 * Callers: ULT. */
int ABT_xstream_exit(void) ABT_API_PUBLIC;

/** Asks a stream to end whatever its pools hold. It sees that when its scheduler checks events;
 * join it still. Errors: ABT_ERR_INV_XSTREAM (null; the primary one). Callers: any. */
int ABT_xstream_cancel(ABT_xstream xstream) ABT_API_PUBLIC;

/**
 * The caller's stream. ABT_self_get_xstream is the newer name.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_XSTREAM (an external thread).
 * On error: *xstream = ABT_XSTREAM_NULL. Callers: unit.
 */
int ABT_xstream_self(ABT_xstream* xstream) ABT_API_PUBLIC;

/**
 * The rank of the caller's stream. ABT_self_get_xstream_rank is the newer name.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_XSTREAM (an external thread).
 * Callers: unit.
 */
int ABT_xstream_self_rank(int* rank) ABT_API_PUBLIC;

/** Gives a stream another rank, and the CPU that goes with it if streams are bound. The old rank
 * is free then. Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_XSTREAM (null; the primary one),
 * ABT_ERR_INV_XSTREAM_RANK (negative or
 *   taken), ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: any. */
int ABT_xstream_set_rank(ABT_xstream xstream, int rank) ABT_API_PUBLIC;

/**
 * A stream's rank. The primary one has 0.
 * Errors: ABT_ERR_INV_XSTREAM (null).
 * Callers: any.
 */
int ABT_xstream_get_rank(ABT_xstream xstream, int* rank) ABT_API_PUBLIC;

/** Replaces a stream's main scheduler; null means a new default one. The old one is freed if
 * automatic; the units in its pools are the caller's care. Of a joined stream the new one serves
 * once it is revived. Of a running one the caller must be a ULT right under the main scheduler;
 * it moves to the new scheduler's first pool if it came from the old ones. Errors:
 * ABT_ERR_UNINITIALIZED, ABT_ERR_INV_XSTREAM (null; an external thread), ABT_ERR_INV_THREAD (a
 * tasklet),
 *   ABT_ERR_XSTREAM_STATE (another stream, and running), ABT_ERR_INV_SCHED (in use), ABT_ERR_MEM,
 * ABT_ERR_SYS. Callers: ULT. May suspend. Not at the same time as another call on this stream or
 * scheduler. */
int ABT_xstream_set_main_sched(ABT_xstream xstream, ABT_sched sched) ABT_API_PUBLIC;

/** ABT_sched_create_basic and ABT_xstream_set_main_sched in one. Pools that are given stay the
 * caller's when it fails. Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_XSTREAM (null; an external
 * thread), ABT_ERR_INV_THREAD (a tasklet),
 *   ABT_ERR_XSTREAM_STATE (another stream, and running), ABT_ERR_INV_ARG (num_pools < 0),
 * ABT_ERR_INV_SCHED_PREDEF (no such predef), ABT_ERR_MEM, ABT_ERR_SYS. Callers: ULT. May suspend.
 * Not at the same time as another call on this stream. */
int ABT_xstream_set_main_sched_basic(ABT_xstream xstream, ABT_sched_predef predef, int num_pools,
                                     ABT_pool* pools) ABT_API_PUBLIC;

/**
 * A stream's main scheduler.
 * Errors: ABT_ERR_INV_XSTREAM (null).
 * Callers: any. Not while it is being replaced.
 */
int ABT_xstream_get_main_sched(ABT_xstream xstream, ABT_sched* sched) ABT_API_PUBLIC;

/** The first max_pools pools of a stream's main scheduler, or as many as it has. Entries beyond
 * those stay as they were. Errors: ABT_ERR_INV_XSTREAM (null), ABT_ERR_INV_ARG (max_pools < 0).
 * Callers: any. Not while the scheduler is being replaced. */
int ABT_xstream_get_main_pools(ABT_xstream xstream, int max_pools, ABT_pool* pools) ABT_API_PUBLIC;

/**
 * Whether a stream runs or has ended.
 * Errors: ABT_ERR_INV_XSTREAM (null).
 * Callers: any.
 */
int ABT_xstream_get_state(ABT_xstream xstream, ABT_xstream_state* state) ABT_API_PUBLIC;

/**
 * Whether both name the same stream, or both none. The same as comparing handles.
 * Errors: none.
 * Callers: any. Needs no ABT_init.
 */
int ABT_xstream_equal(ABT_xstream xstream1, ABT_xstream xstream2, ABT_bool* result) ABT_API_PUBLIC;

/**
 * How many streams there are, joined ones that are not freed among them.
 * Errors: ABT_ERR_UNINITIALIZED.
 * Callers: any.
 */
int ABT_xstream_get_num(int* num_xstreams) ABT_API_PUBLIC;

/**
 * Whether it is the primary stream, which is the one of the OS thread that called ABT_init.
 * Errors: ABT_ERR_INV_XSTREAM (null).
 * Callers: any.
 */
int ABT_xstream_is_primary(ABT_xstream xstream, ABT_bool* is_primary) ABT_API_PUBLIC;

/** Runs a unit that was popped, as the caller's child, until it ends or gives way. It belongs to
 * this pool from then on, where it goes when it is ready again. For schedulers;
 * ABT_self_schedule is the newer one. Errors: ABT_ERR_INV_POOL (null), ABT_ERR_INV_UNIT (null),
 * ABT_ERR_UNINITIALIZED, ABT_ERR_INV_XSTREAM (an external
 *   thread), ABT_ERR_INV_THREAD (a tasklet), ABT_ERR_UNIT (the pool could not make a unit),
 * ABT_ERR_MEM, ABT_ERR_SYS. Callers: ULT. May suspend. The unit must be ready and in no pool. */
int ABT_xstream_run_unit(ABT_unit unit, ABT_pool pool) ABT_API_PUBLIC;

/** Takes requests to join, cancel or report stacks. A user's scheduler calls it now and then,
 * every 50 rounds perhaps, and then asks ABT_sched_has_to_stop. Errors: ABT_ERR_UNINITIALIZED,
 * ABT_ERR_INV_XSTREAM (an external thread), ABT_ERR_INV_SCHED (null),
 *   ABT_ERR_INV_THREAD (the caller is not this scheduler).
 * Callers: the ULT that runs this scheduler. May suspend. */
int ABT_xstream_check_events(ABT_sched sched) ABT_API_PUBLIC;

/* The four functions below return ABT_ERR_FEATURE_NA unless ABT_SET_AFFINITY has streams bound,
 * or LAZULT_ABT_AFFINITY=on makes them work alone. */

/** Binds a stream to one CPU, numbered as the system does. Errors: ABT_ERR_INV_XSTREAM (null),
 * ABT_ERR_SYS (no such CPU, or not for this process), ABT_ERR_FEATURE_NA. Callers: any. Not at
 * the same time as another binding of this stream. */
int ABT_xstream_set_cpubind(ABT_xstream xstream, int cpuid) ABT_API_PUBLIC;

/** A CPU that a stream is bound to; one of them if there are several. Errors: ABT_ERR_INV_XSTREAM
 * (null), ABT_ERR_CPUID (bound to none), ABT_ERR_SYS, ABT_ERR_FEATURE_NA. Callers: any. */
int ABT_xstream_get_cpubind(ABT_xstream xstream, int* cpuid) ABT_API_PUBLIC;

/** Binds a stream to several CPUs. None means all that the process had when the runtime started.
 * Errors: ABT_ERR_INV_XSTREAM (null), ABT_ERR_INV_ARG (num_cpuids < 0), ABT_ERR_SYS (none of
 * them exists, or not
 *   for this process), ABT_ERR_FEATURE_NA.
 * Callers: any. Not at the same time as another binding of this stream. */
int ABT_xstream_set_affinity(ABT_xstream xstream, int num_cpuids, int* cpuids) ABT_API_PUBLIC;

/** The CPUs that a stream is bound to: at most max_cpuids of them, in rising order, and in
 * *num_cpuids how many there are in all. num_cpuids may be NULL. Entries beyond those written
 * stay as they were. Errors: ABT_ERR_INV_XSTREAM (null), ABT_ERR_INV_ARG (max_cpuids < 0),
 * ABT_ERR_SYS, ABT_ERR_FEATURE_NA. Callers: any. */
int ABT_xstream_get_affinity(ABT_xstream xstream, int max_cpuids, int* cpuids,
                             int* num_cpuids) ABT_API_PUBLIC;

#if defined(__cplusplus)
}
#endif

#endif /* ABT_XSTREAM_H_INCLUDED */
