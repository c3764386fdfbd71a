/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Schedulers, which take units from pools and run them. */
#ifndef ABT_SCHED_H_INCLUDED
#define ABT_SCHED_H_INCLUDED

#include "types.h"

#if defined(__cplusplus)
extern "C" {
#endif

/** The schedulers of the library. */
enum ABT_sched_predef {
    ABT_SCHED_DEFAULT,   /**< BASIC */
    ABT_SCHED_BASIC,     /**< takes units from its pools in their order */
    ABT_SCHED_PRIO,      /**< its pools are priorities, the first pool the highest */
    ABT_SCHED_RANDWS,    /**< takes from its first pool, and steals from the others at random */
    ABT_SCHED_BASIC_WAIT /**< BASIC, but waits in a pool while there is no ready unit */
};
typedef enum ABT_sched_predef ABT_sched_predef; /**< The same without `enum`. */

/** The kind of unit that runs a scheduler. It is ignored: every scheduler is a ULT. */
enum ABT_sched_type { ABT_SCHED_TYPE_ULT, ABT_SCHED_TYPE_TASK };
typedef enum ABT_sched_type ABT_sched_type; /**< The same without `enum`. */

/** Not used by any function. */
enum ABT_sched_state {
    ABT_SCHED_STATE_READY,
    ABT_SCHED_STATE_RUNNING,
    ABT_SCHED_STATE_STOPPED,
    ABT_SCHED_STATE_TERMINATED
};
typedef enum ABT_sched_state ABT_sched_state; /**< The same without `enum`. */

/** Types of the functions in ABT_sched_def. That structure describes them. */
/** @{ */
typedef int (*ABT_sched_init_fn)(ABT_sched, ABT_sched_config);
typedef void (*ABT_sched_run_fn)(ABT_sched);
typedef int (*ABT_sched_free_fn)(ABT_sched);
typedef ABT_pool (*ABT_sched_get_migr_pool_fn)(ABT_sched);
/** @} */

/** A scheduler of the user's. Only run is needed; the other functions may be NULL, and it is
 * undefined which thread calls them. */
typedef struct {
    /** Ignored. */
    ABT_sched_type type;
    /** Called once, when the scheduler is created, with the configuration passed there. If it
     * returns a code other than ABT_SUCCESS, the creation fails with that code. */
    ABT_sched_init_fn init;
    /** The scheduler's loop, which runs as a ULT: it pops units from the scheduler's pools and runs
     * them. Now and then it calls ABT_xstream_check_events and then ABT_sched_has_to_stop, and
     * returns when the latter says so. It is called again when its stream is revived. */
    ABT_sched_run_fn run;
    /** Called once, when the scheduler is freed. The result is ignored. */
    ABT_sched_free_fn free;
    /** Returns the pool of this scheduler to which a migrating unit goes. If NULL, that is the
     * first pool. */
    ABT_sched_get_migr_pool_fn get_migr_pool;
} ABT_sched_def;

/** Creates a scheduler of the user's with these pools. A new automatic FIFO pool takes the place of
 * each null pool. def, pools and config are copied; a null config means the defaults. The
 * scheduler is automatic only if config says so. pools may be NULL if num_pools is 0.
 * Errors: ABT_ERR_SCHED (newsched is NULL), ABT_ERR_INV_ARG (num_pools < 0), the code that
 * def->init returned, ABT_ERR_MEM, ABT_ERR_SYS.
 * On error: *newsched = ABT_SCHED_NULL.
 * Callers: any. */
int ABT_sched_create(ABT_sched_def* def, int num_pools, ABT_pool* pools, ABT_sched_config config,
                     ABT_sched* newsched) ABT_API_PUBLIC;

/** Creates one of the library's schedulers with these pools. A new automatic FIFO pool takes the
 * place of each null pool. If pools is NULL, num_pools is ignored and the scheduler makes its
 * preferred pools; ABT_sched_get_num_pools tells how many. pools and config are copied; a null
 * config means the defaults. The scheduler is automatic unless config says otherwise.
 * Errors: ABT_ERR_SCHED (newsched is NULL), ABT_ERR_INV_ARG (num_pools < 0),
 * ABT_ERR_INV_SCHED_PREDEF (no such predef), ABT_ERR_MEM, ABT_ERR_SYS.
 * On error: *newsched = ABT_SCHED_NULL.
 * Callers: any. */
int ABT_sched_create_basic(ABT_sched_predef predef, int num_pools, ABT_pool* pools,
                           ABT_sched_config config, ABT_sched* newsched) ABT_API_PUBLIC;

/** Frees a scheduler that is not in use by a stream or a pool, and sets the handle to null. Frees
 * its automatic pools, too, unless another scheduler uses them, and calls the user's free. An
 * automatic scheduler that has been used is freed with its stream or unit, and not by this
 * function.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_SCHED (null), ABT_ERR_SCHED (in use). In case of an
 * error the handle stays.
 * Callers: any. */
int ABT_sched_free(ABT_sched* sched) ABT_API_PUBLIC;

/** Stores a pointer of the user's with the scheduler, and replaces the old one.
 * Errors: ABT_ERR_INV_SCHED (null).
 * Callers: any. Not while another caller sets or gets it. */
int ABT_sched_set_data(ABT_sched sched, void* data) ABT_API_PUBLIC;

/** Gets the pointer that was set last, or NULL if none was set.
 * Errors: ABT_ERR_INV_SCHED (null).
 * Callers: any. Not while another caller sets it. */
int ABT_sched_get_data(ABT_sched sched, void** data) ABT_API_PUBLIC;

/** Gets the number of the scheduler's pools.
 * Errors: ABT_ERR_INV_SCHED (null).
 * Callers: any. */
int ABT_sched_get_num_pools(ABT_sched sched, int* num_pools) ABT_API_PUBLIC;

/** Gets exactly max_pools of the scheduler's pools, beginning with number idx.
 * Errors: ABT_ERR_INV_SCHED (null), ABT_ERR_INV_ARG (max_pools or idx < 0), ABT_ERR_SCHED (the
 * scheduler has fewer pools).
 * Callers: any. */
int ABT_sched_get_pools(ABT_sched sched, int max_pools, int idx, ABT_pool* pools) ABT_API_PUBLIC;

/** Gets the number of units in all pools of the scheduler. Pools are counted one after another, so
 * the sum need not be true at any one moment.
 * Errors: ABT_ERR_INV_SCHED (null), ABT_ERR_POOL (a pool cannot count its units).
 * On error: *size = 0.
 * Callers: any. */
int ABT_sched_get_size(ABT_sched sched, size_t* size) ABT_API_PUBLIC;

/** Gets the number of units in all pools of the scheduler, plus the suspended units that belong to
 * these pools.
 * Errors: ABT_ERR_INV_SCHED (null), ABT_ERR_POOL (a pool cannot count its units).
 * On error: *size = 0.
 * Callers: any. */
int ABT_sched_get_total_size(ABT_sched sched, size_t* size) ABT_API_PUBLIC;

/** Asks a scheduler to end when its pools are empty, and returns at once. A request by
 * ABT_sched_exit has precedence.
 * Errors: ABT_ERR_INV_SCHED (null).
 * Callers: any. */
int ABT_sched_finish(ABT_sched sched) ABT_API_PUBLIC;

/** Asks a scheduler to end even if its pools hold units, and returns at once.
 * Errors: ABT_ERR_INV_SCHED (null).
 * Callers: any. */
int ABT_sched_exit(ABT_sched sched) ABT_API_PUBLIC;

/** Tests whether a running scheduler must return now. That is so if it was asked to exit. It is
 * also so if it was asked to finish, or was put into a pool, and no unit is in its pools or will
 * come back to them.
 * Errors: ABT_ERR_INV_SCHED (null), ABT_ERR_INV_XSTREAM (an external thread).
 * On error: *stop = ABT_FALSE.
 * Callers: unit, usually the scheduler itself. May suspend. */
int ABT_sched_has_to_stop(ABT_sched sched, ABT_bool* stop) ABT_API_PUBLIC;

#if defined(__cplusplus)
}
#endif

#endif /* ABT_SCHED_H_INCLUDED */
