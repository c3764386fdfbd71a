/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Pools: where units wait until a scheduler takes them. */
#ifndef ABT_POOL_H_INCLUDED
#define ABT_POOL_H_INCLUDED

#include "pool_context.h"
#include "types.h"

#if defined(__cplusplus)
extern "C" {
#endif

/** The pools of the library. They offer every function below. */
enum ABT_pool_kind {
    ABT_POOL_FIFO,      /**< first in, first out */
    ABT_POOL_FIFO_WAIT, /**< the same, for callers that wait in it */
    /** For work stealing. New and revived units are pushed to the head, others to the tail. Callers
     * that say OWNER_SECONDARY pop from the tail, all others from the head. */
    ABT_POOL_RANDWS
};
typedef enum ABT_pool_kind ABT_pool_kind; /**< The same without `enum`. */

/** How many streams at a time may push (first letter: Single, Multiple Producer) and pop
 * (Consumer). PRIV: one does both. A promise of the user's; the library does not check it. */
enum ABT_pool_access {
    ABT_POOL_ACCESS_PRIV,
    ABT_POOL_ACCESS_SPSC,
    ABT_POOL_ACCESS_MPSC,
    ABT_POOL_ACCESS_SPMC,
    ABT_POOL_ACCESS_MPMC
};
typedef enum ABT_pool_access ABT_pool_access; /**< The same without `enum`. */

/** Creates a pool of the user's. def is a new definition or a pointer to an ABT_pool_def; both
 * and config are copied. A null config means defaults: not automatic, so the caller frees it. An
 * automatic pool is freed with the last scheduler that uses it, or by the caller if none ever
 * did. Errors: ABT_ERR_INV_POOL_USER_DEF (null), what the pool's init returned, ABT_ERR_MEM,
 * ABT_ERR_SYS. On error: *newpool = ABT_POOL_NULL. Callers: any. */
int ABT_pool_create(ABT_pool_user_def def, ABT_pool_config config,
                    ABT_pool* newpool) ABT_API_PUBLIC;

/** Creates one of the library's pools. Automatic ones are freed with the last scheduler that uses
 * them. ABT_finalize frees the pools of the primary stream's main scheduler in any case. Errors:
 * ABT_ERR_INV_POOL_KIND (no such kind), ABT_ERR_INV_POOL_ACCESS (no such access), ABT_ERR_MEM,
 * ABT_ERR_SYS. On error: *newpool = ABT_POOL_NULL. Callers: any. */
int ABT_pool_create_basic(ABT_pool_kind kind, ABT_pool_access access, ABT_bool automatic,
                          ABT_pool* newpool) ABT_API_PUBLIC;

/** Frees a pool, calling the user's free, and sets the handle to null. It must be empty and no
 * unit may belong to it. Errors: ABT_ERR_INV_POOL (null). Callers: any. */
int ABT_pool_free(ABT_pool* pool) ABT_API_PUBLIC;

/**
 * The access that it was created with; MPMC if by a new definition.
 * Errors: ABT_ERR_INV_POOL (null).
 * Callers: any.
 */
int ABT_pool_get_access(ABT_pool pool, ABT_pool_access* access) ABT_API_PUBLIC;

/**
 * Whether no unit is in the pool at the moment.
 * Errors: ABT_ERR_INV_POOL (null).
 * Callers: any.
 */
int ABT_pool_is_empty(ABT_pool pool, ABT_bool* is_empty) ABT_API_PUBLIC;

/**
 * How many units are in the pool at the moment.
 * Errors: ABT_ERR_INV_POOL (null), ABT_ERR_POOL (it cannot tell).
 * Callers: any.
 */
int ABT_pool_get_size(ABT_pool pool, size_t* size) ABT_API_PUBLIC;

/**
 * How many units are in the pool or suspended and will come back to it.
 * Errors: ABT_ERR_INV_POOL (null), ABT_ERR_POOL (it cannot tell).
 * Callers: any.
 */
int ABT_pool_get_total_size(ABT_pool pool, size_t* size) ABT_API_PUBLIC;

/**
 * Takes a unit out, or gives ABT_THREAD_NULL if there is none, which is no error.
 * Errors: ABT_ERR_INV_POOL (null).
 * Callers: any.
 */
int ABT_pool_pop_thread(ABT_pool pool, ABT_thread* thread) ABT_API_PUBLIC;

/**
 * The same with a hint to the pool.
 * Errors: ABT_ERR_INV_POOL (null).
 * Callers: any.
 */
int ABT_pool_pop_thread_ex(ABT_pool pool, ABT_thread* thread,
                           ABT_pool_context pool_ctx) ABT_API_PUBLIC;

/** Takes at most len units out; how many goes to *num. Entries beyond those stay as they were.
 * Nothing is done, not even to *num, if len is 0. Errors: ABT_ERR_INV_POOL (null), ABT_ERR_POOL
 * (a user's pool without that function). Callers: any. */
int ABT_pool_pop_threads(ABT_pool pool, ABT_thread* threads, size_t len,
                         size_t* num) ABT_API_PUBLIC;

/**
 * The same with a hint to the pool.
 * Errors: ABT_ERR_INV_POOL (null), ABT_ERR_POOL (a user's pool without that function).
 * Callers: any.
 */
int ABT_pool_pop_threads_ex(ABT_pool pool, ABT_thread* threads, size_t len, size_t* num,
                            ABT_pool_context pool_ctx) ABT_API_PUBLIC;

/** Adds a ready unit that is in no pool; it belongs to this one from then on. A null thread is
 * passed over. Errors: ABT_ERR_INV_POOL (null), ABT_ERR_UNIT (the pool could not make a unit),
 * ABT_ERR_MEM, ABT_ERR_SYS. Callers: any. */
int ABT_pool_push_thread(ABT_pool pool, ABT_thread thread) ABT_API_PUBLIC;

/** The same with a hint to the pool. Errors: ABT_ERR_INV_POOL (null), ABT_ERR_UNIT (the pool
 * could not make a unit), ABT_ERR_MEM, ABT_ERR_SYS. Callers: any. */
int ABT_pool_push_thread_ex(ABT_pool pool, ABT_thread thread,
                            ABT_pool_context pool_ctx) ABT_API_PUBLIC;

/** Adds ready units that are in no pool; null ones are passed over. After an error none is in the
 * pool, but some may belong to it. Errors: ABT_ERR_INV_POOL (null), ABT_ERR_POOL (a user's pool
 * without that function), ABT_ERR_UNIT (the pool could
 *   not make a unit), ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: any. */
int ABT_pool_push_threads(ABT_pool pool, const ABT_thread* threads, size_t num) ABT_API_PUBLIC;

/** The same with a hint to the pool. Errors: ABT_ERR_INV_POOL (null), ABT_ERR_POOL (a user's pool
 * without that function), ABT_ERR_UNIT (the pool could
 *   not make a unit), ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: any. */
int ABT_pool_push_threads_ex(ABT_pool pool, const ABT_thread* threads, size_t num,
                             ABT_pool_context pool_ctx) ABT_API_PUBLIC;

/** As ABT_pool_pop_thread, but waits for up to time_secs seconds while the pool is empty. That
 * blocks the caller's OS thread and all units of its stream: it is for schedulers. Errors:
 * ABT_ERR_INV_POOL (null), ABT_ERR_POOL (a user's pool without that function). Callers: any. */
int ABT_pool_pop_wait_thread(ABT_pool pool, ABT_thread* thread, double time_secs) ABT_API_PUBLIC;

/**
 * The same with a hint to the pool.
 * Errors: ABT_ERR_INV_POOL (null), ABT_ERR_POOL (a user's pool without that function).
 * Callers: any.
 */
int ABT_pool_pop_wait_thread_ex(ABT_pool pool, ABT_thread* thread, double time_secs,
                                ABT_pool_context pool_ctx) ABT_API_PUBLIC;

/**
 * Calls print_fn with arg and each unit in the pool, for a look at it: print_fn may change neither.
 * Errors: ABT_ERR_INV_POOL (null), ABT_ERR_POOL (a user's pool without that function).
 * Callers: any. Best while nobody pushes or pops.
 */
int ABT_pool_print_all_threads(ABT_pool pool, void* arg,
                               void (*print_fn)(void* arg, ABT_thread)) ABT_API_PUBLIC;

/**
 * Keeps a pointer of the user's with a pool, in place of the old one.
 * Errors: ABT_ERR_INV_POOL (null).
 * Callers: any. Not at the same time as another access to it.
 */
int ABT_pool_set_data(ABT_pool pool, void* data) ABT_API_PUBLIC;

/**
 * The pointer set last; NULL if none was.
 * Errors: ABT_ERR_INV_POOL (null).
 * Callers: any. Not while it is being set.
 */
int ABT_pool_get_data(ABT_pool pool, void** data) ABT_API_PUBLIC;

/** Pushes a scheduler as a unit: when its turn comes it runs the units of its own pools, and ends
 * once they are empty. That unit frees itself, and the scheduler if it is automatic; it is in
 * use until then. Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_POOL (null), ABT_ERR_INV_SCHED
 * (null; in use), ABT_ERR_UNIT (the pool
 *   could not make a unit), ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: any. Not at the same time as another use of this scheduler. */
int ABT_pool_add_sched(ABT_pool pool, ABT_sched sched) ABT_API_PUBLIC;

/**
 * A small number of its own that each pool has.
 * Errors: ABT_ERR_INV_POOL (null).
 * Callers: any.
 */
int ABT_pool_get_id(ABT_pool pool, int* id) ABT_API_PUBLIC;

/*
 * Older functions, which deal in the pool's own units.
 */

/** Takes a unit out, or gives ABT_UNIT_NULL if there is none, which is no error.
 * ABT_pool_pop_thread is the newer one. Errors: ABT_ERR_INV_POOL (null). On error: *unit =
 * ABT_UNIT_NULL. Callers: any. */
int ABT_pool_pop(ABT_pool pool, ABT_unit* unit) ABT_API_PUBLIC;

/** The same, waiting for up to time_secs seconds while the pool is empty.
 * ABT_pool_pop_wait_thread is the newer one. Errors: ABT_ERR_INV_POOL (null), ABT_ERR_POOL (a
 * user's pool without that function). On error: *unit = ABT_UNIT_NULL. Callers: any. Blocks the
 * caller's OS thread. */
int ABT_pool_pop_wait(ABT_pool pool, ABT_unit* unit, double time_secs) ABT_API_PUBLIC;

/** The same, waiting until ABT_get_wtime reaches abstime_secs. ABT_pool_pop_wait_thread is the
 * newer one. Errors: ABT_ERR_INV_POOL (null), ABT_ERR_POOL (a user's pool without that function,
 * and all by a new definition). On error: *unit = ABT_UNIT_NULL. Callers: any. Blocks the
 * caller's OS thread. */
int ABT_pool_pop_timedwait(ABT_pool pool, ABT_unit* unit,
                           double abstime_secs) ABT_DEPRECATED ABT_API_PUBLIC;

/** Takes a unit out that is in this pool. Errors: ABT_ERR_INV_POOL (null), ABT_ERR_INV_UNIT
 * (null), ABT_ERR_POOL (not in this pool; a user's pool without
 *   that function, and all by a new definition).
 * Callers: any. Not if someone else may pop that unit meanwhile. */
int ABT_pool_remove(ABT_pool pool, ABT_unit unit) ABT_API_PUBLIC;

/** Adds a ready unit that is in no pool. If it belonged to another one, it becomes a unit of this
 * one and the old handle is dead. ABT_pool_push_thread is the newer one. Errors:
 * ABT_ERR_INV_POOL (null), ABT_ERR_INV_UNIT (null), ABT_ERR_UNIT (the pool could not make a
 * unit),
 *   ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: any. */
int ABT_pool_push(ABT_pool pool, ABT_unit unit) ABT_API_PUBLIC;

/**
 * As ABT_pool_print_all_threads, with the pool's own units.
 * Errors: ABT_ERR_INV_POOL (null), ABT_ERR_POOL (a user's pool without that function).
 * Callers: any.
 */
int ABT_pool_print_all(ABT_pool pool, void* arg,
                       void (*print_fn)(void* arg, ABT_unit)) ABT_API_PUBLIC;

#if defined(__cplusplus)
}
#endif

#endif /* ABT_POOL_H_INCLUDED */
