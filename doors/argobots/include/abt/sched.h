/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Schedulers: what takes units from pools and runs them. */
#ifndef ABT_SCHED_H_INCLUDED
#define ABT_SCHED_H_INCLUDED

#include "types.h"

#if defined(__cplusplus)
extern "C" {
#endif

/** The schedulers of the library. */
enum ABT_sched_predef {
    ABT_SCHED_DEFAULT,   /**< BASIC */
    ABT_SCHED_BASIC,     /**< its pools in their order */
    ABT_SCHED_PRIO,      /**< its pools are priorities, the first one highest */
    ABT_SCHED_RANDWS,    /**< its first pool, and steals from the others at random */
    ABT_SCHED_BASIC_WAIT /**< BASIC that waits in a pool while there is nothing to do */
};
typedef enum ABT_sched_predef ABT_sched_predef; /**< The same without `enum`. */

/** What a scheduler runs on. It is a ULT in any case. */
enum ABT_sched_type { ABT_SCHED_TYPE_ULT, ABT_SCHED_TYPE_TASK };
typedef enum ABT_sched_type ABT_sched_type; /**< The same without `enum`. */

/** No function takes it. */
enum ABT_sched_state {
    ABT_SCHED_STATE_READY,
    ABT_SCHED_STATE_RUNNING,
    ABT_SCHED_STATE_STOPPED,
    ABT_SCHED_STATE_TERMINATED
};
typedef enum ABT_sched_state ABT_sched_state; /**< The same without `enum`. */

/** The type of a function of ABT_sched_def, where each is described. */
/** @{ */
typedef int (*ABT_sched_init_fn)(ABT_sched, ABT_sched_config);
typedef void (*ABT_sched_run_fn)(ABT_sched);
typedef int (*ABT_sched_free_fn)(ABT_sched);
typedef ABT_pool (*ABT_sched_get_migr_pool_fn)(ABT_sched);
/** @} */

/** A scheduler of the user's. Only run is needed. The others may be NULL, and it is not defined
 * which thread calls them. */
typedef struct {
    /** Not used. */
    ABT_sched_type type;
    /** Once, when the scheduler is created, with the configuration given there. A code other than
     * ABT_SUCCESS makes the creation fail with it. */
    ABT_sched_init_fn init;
    /** The loop, as a ULT: pops units from the scheduler's pools and runs them. Now and then it
     * calls ABT_xstream_check_events and then ABT_sched_has_to_stop, and returns when that says
     * so. Called again when its stream is revived. */
    ABT_sched_run_fn run;
    /** Once, when the scheduler is freed. What it returns is not used. */
    ABT_sched_free_fn free;
    /** One of its pools, for a unit that migrates here. The first one if NULL. */
    ABT_sched_get_migr_pool_fn get_migr_pool;
} ABT_sched_def;

/** Creates a scheduler of the user's over these pools. A null pool means a new automatic FIFO
 * pool. def, pools and config are copied; a null config means defaults. It is not automatic
 * unless config says so. pools may be NULL if there are none. Errors: ABT_ERR_SCHED (newsched is
 * NULL), ABT_ERR_INV_ARG (num_pools < 0), what def->init returned, ABT_ERR_MEM,
 *   ABT_ERR_SYS.
 * On error: *newsched = ABT_SCHED_NULL. Callers: any. */
int ABT_sched_create(ABT_sched_def* def, int num_pools, ABT_pool* pools, ABT_sched_config config,
                     ABT_sched* newsched) ABT_API_PUBLIC;

/** Creates one of the library's schedulers over these pools. A null pool means a new automatic
 * FIFO pool. If pools is NULL, num_pools is not used and the scheduler makes the pools that it
 * likes best; ask ABT_sched_get_num_pools. pools and config are copied; a null config means
 * defaults. It is automatic unless config says otherwise. Errors: ABT_ERR_SCHED (newsched is
 * NULL), ABT_ERR_INV_ARG (num_pools < 0), ABT_ERR_INV_SCHED_PREDEF (no such
 *   predef), ABT_ERR_MEM, ABT_ERR_SYS.
 * On error: *newsched = ABT_SCHED_NULL. Callers: any. */
int ABT_sched_create_basic(ABT_sched_predef predef, int num_pools, ABT_pool* pools,
                           ABT_sched_config config, ABT_sched* newsched) ABT_API_PUBLIC;

/** Frees a scheduler that serves no stream and is in no pool, with the automatic pools that no
 * other scheduler uses, and sets the handle to null. An automatic scheduler that served is freed
 * with its stream or unit, not here. Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_SCHED (null),
 * ABT_ERR_SCHED (in use). The handle then stays. Callers: any. Calls the user's free. */
int ABT_sched_free(ABT_sched* sched) ABT_API_PUBLIC;

/**
 * Keeps a pointer of the user's with a scheduler, in place of the old one.
 * Errors: ABT_ERR_INV_SCHED (null).
 * Callers: any. Not at the same time as another access to it.
 */
int ABT_sched_set_data(ABT_sched sched, void* data) ABT_API_PUBLIC;

/**
 * The pointer set last; NULL if none was.
 * Errors: ABT_ERR_INV_SCHED (null).
 * Callers: any. Not while it is being set.
 */
int ABT_sched_get_data(ABT_sched sched, void** data) ABT_API_PUBLIC;

/**
 * How many pools a scheduler has.
 * Errors: ABT_ERR_INV_SCHED (null).
 * Callers: any.
 */
int ABT_sched_get_num_pools(ABT_sched sched, int* num_pools) ABT_API_PUBLIC;

/** A scheduler's pools from number idx on, exactly max_pools of them. Errors: ABT_ERR_INV_SCHED
 * (null), ABT_ERR_INV_ARG (max_pools or idx < 0), ABT_ERR_SCHED (it has fewer). Callers: any. */
int ABT_sched_get_pools(ABT_sched sched, int max_pools, int idx, ABT_pool* pools) ABT_API_PUBLIC;

/**
 * How many units are in all its pools together, pool after pool: not one moment's truth.
 * Errors: ABT_ERR_INV_SCHED (null), ABT_ERR_POOL (a pool cannot tell).
 * On error: *size = 0. Callers: any.
 */
int ABT_sched_get_size(ABT_sched sched, size_t* size) ABT_API_PUBLIC;

/**
 * The same with the suspended units that belong to its pools.
 * Errors: ABT_ERR_INV_SCHED (null), ABT_ERR_POOL (a pool cannot tell).
 * On error: *size = 0. Callers: any.
 */
int ABT_sched_get_total_size(ABT_sched sched, size_t* size) ABT_API_PUBLIC;

/** Asks a scheduler to end once its pools are empty. Does not wait. ABT_sched_exit is stronger
 * and stays in force. Errors: ABT_ERR_INV_SCHED (null). Callers: any. */
int ABT_sched_finish(ABT_sched sched) ABT_API_PUBLIC;

/**
 * Asks a scheduler to end whatever its pools hold. Does not wait.
 * Errors: ABT_ERR_INV_SCHED (null).
 * Callers: any.
 */
int ABT_sched_exit(ABT_sched sched) ABT_API_PUBLIC;

/** Whether a running scheduler must return now: it was asked to exit, or asked to finish (or put
 * into a pool) and no unit is in its pools or will come back to them. Errors: ABT_ERR_INV_SCHED
 * (null), ABT_ERR_INV_XSTREAM (an external thread). On error: *stop = ABT_FALSE. Callers: unit,
 * the scheduler itself as a rule. May suspend. */
int ABT_sched_has_to_stop(ABT_sched sched, ABT_bool* stop) ABT_API_PUBLIC;

#if defined(__cplusplus)
}
#endif

#endif /* ABT_SCHED_H_INCLUDED */
