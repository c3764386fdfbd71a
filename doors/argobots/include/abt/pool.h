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

/** The pools of the library. They support all functions below. */
enum ABT_pool_kind {
    ABT_POOL_FIFO,      /**< first in, first out */
    ABT_POOL_FIFO_WAIT, /**< FIFO, for callers that wait in the pool */
    /** For work stealing. New and revived units are pushed to the head, others to the tail. Callers
     * that pass OWNER_SECONDARY pop from the tail, all others pop from the head. */
    ABT_POOL_RANDWS
};
typedef enum ABT_pool_kind ABT_pool_kind; /**< The same without `enum`. */

/** How many streams may push and pop at the same time. P stands for producer, C for consumer, S for
 * single and M for multiple. PRIV: one stream is the only producer and the only consumer. The user
 * promises this; the library does not check it. */
enum ABT_pool_access {
    ABT_POOL_ACCESS_PRIV,
    ABT_POOL_ACCESS_SPSC,
    ABT_POOL_ACCESS_MPSC,
    ABT_POOL_ACCESS_SPMC,
    ABT_POOL_ACCESS_MPMC
};
typedef enum ABT_pool_access ABT_pool_access; /**< The same without `enum`. */

/** Creates a pool of the user's. def is a new definition or a pointer to an ABT_pool_def. def and
 * config are copied. A null config means the defaults: the pool is not automatic, so the caller
 * frees it. An automatic pool is freed with the last scheduler that uses it, or by the caller if
 * no scheduler has ever used it.
 * Errors: ABT_ERR_INV_POOL_USER_DEF (null), what the pool's init returned, ABT_ERR_MEM,
 * ABT_ERR_SYS.
 * On error: *newpool = ABT_POOL_NULL.
 * Callers: any. */
int ABT_pool_create(ABT_pool_user_def def, ABT_pool_config config,
                    ABT_pool* newpool) ABT_API_PUBLIC;

/** Creates one of the library's pools. An automatic pool is freed with the last scheduler that uses
 * it. ABT_finalize frees the pools of the primary stream's main scheduler in any case.
 * Errors: ABT_ERR_INV_POOL_KIND (no such kind), ABT_ERR_INV_POOL_ACCESS (no such access),
 * ABT_ERR_MEM, ABT_ERR_SYS.
 * On error: *newpool = ABT_POOL_NULL.
 * Callers: any. */
int ABT_pool_create_basic(ABT_pool_kind kind, ABT_pool_access access, ABT_bool automatic,
                          ABT_pool* newpool) ABT_API_PUBLIC;

/** Frees a pool and sets the handle to null. A user's pool calls the user's free. The pool must be
 * empty, and no unit may belong to it.
 * Errors: ABT_ERR_INV_POOL (null).
 * Callers: any. */
int ABT_pool_free(ABT_pool* pool) ABT_API_PUBLIC;

/** Gets the access with which the pool was created, or MPMC for a pool with a new definition.
 * Errors: ABT_ERR_INV_POOL (null).
 * Callers: any. */
int ABT_pool_get_access(ABT_pool pool, ABT_pool_access* access) ABT_API_PUBLIC;

/** Tests whether no unit is in the pool at this moment.
 * Errors: ABT_ERR_INV_POOL (null).
 * Callers: any. */
int ABT_pool_is_empty(ABT_pool pool, ABT_bool* is_empty) ABT_API_PUBLIC;

/** Gets the number of units in the pool at this moment.
 * Errors: ABT_ERR_INV_POOL (null), ABT_ERR_POOL (it cannot tell).
 * Callers: any. */
int ABT_pool_get_size(ABT_pool pool, size_t* size) ABT_API_PUBLIC;

/** Gets the number of units in the pool, plus the suspended units that will come back to it.
 * Errors: ABT_ERR_INV_POOL (null), ABT_ERR_POOL (it cannot tell).
 * Callers: any. */
int ABT_pool_get_total_size(ABT_pool pool, size_t* size) ABT_API_PUBLIC;

/** Takes a unit out of the pool. If the pool is empty, *thread becomes ABT_THREAD_NULL, which is no
 * error.
 * Errors: ABT_ERR_INV_POOL (null).
 * Callers: any. */
int ABT_pool_pop_thread(ABT_pool pool, ABT_thread* thread) ABT_API_PUBLIC;

/** Does what ABT_pool_pop_thread does, with a hint to the pool.
 * Errors: ABT_ERR_INV_POOL (null).
 * Callers: any. */
int ABT_pool_pop_thread_ex(ABT_pool pool, ABT_thread* thread,
                           ABT_pool_context pool_ctx) ABT_API_PUBLIC;

/** Takes at most len units out of the pool and writes their number to *num. Entries of threads
 * beyond that number stay as they were. If len is 0, nothing is done, and *num stays as it was,
 * too.
 * Errors: ABT_ERR_INV_POOL (null), ABT_ERR_POOL (a user's pool without that function).
 * Callers: any. */
int ABT_pool_pop_threads(ABT_pool pool, ABT_thread* threads, size_t len,
                         size_t* num) ABT_API_PUBLIC;

/** Does what ABT_pool_pop_threads does, with a hint to the pool.
 * Errors: ABT_ERR_INV_POOL (null), ABT_ERR_POOL (a user's pool without that function).
 * Callers: any. */
int ABT_pool_pop_threads_ex(ABT_pool pool, ABT_thread* threads, size_t len, size_t* num,
                            ABT_pool_context pool_ctx) ABT_API_PUBLIC;

/** Adds a ready unit that is in no pool. The unit belongs to this pool from then on. A null thread
 * is ignored.
 * Errors: ABT_ERR_INV_POOL (null), ABT_ERR_UNIT (the pool could not make a unit), ABT_ERR_MEM,
 * ABT_ERR_SYS.
 * Callers: any. */
int ABT_pool_push_thread(ABT_pool pool, ABT_thread thread) ABT_API_PUBLIC;

/** Does what ABT_pool_push_thread does, with a hint to the pool.
 * Errors: ABT_ERR_INV_POOL (null), ABT_ERR_UNIT (the pool could not make a unit), ABT_ERR_MEM,
 * ABT_ERR_SYS.
 * Callers: any. */
int ABT_pool_push_thread_ex(ABT_pool pool, ABT_thread thread,
                            ABT_pool_context pool_ctx) ABT_API_PUBLIC;

/** Adds ready units that are in no pool. Null ones are ignored. After an error none of the units is
 * in the pool, but some may belong to it.
 * Errors: ABT_ERR_INV_POOL (null), ABT_ERR_POOL (a user's pool without that function),
 * ABT_ERR_UNIT (the pool could not make a unit), ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: any. */
int ABT_pool_push_threads(ABT_pool pool, const ABT_thread* threads, size_t num) ABT_API_PUBLIC;

/** Does what ABT_pool_push_threads does, with a hint to the pool.
 * Errors: ABT_ERR_INV_POOL (null), ABT_ERR_POOL (a user's pool without that function),
 * ABT_ERR_UNIT (the pool could not make a unit), ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: any. */
int ABT_pool_push_threads_ex(ABT_pool pool, const ABT_thread* threads, size_t num,
                             ABT_pool_context pool_ctx) ABT_API_PUBLIC;

/** Does what ABT_pool_pop_thread does, but waits for up to time_secs seconds while the pool is
 * empty. The wait blocks the caller's OS thread and with it all units of its stream. It is for
 * schedulers.
 * Errors: ABT_ERR_INV_POOL (null), ABT_ERR_POOL (a user's pool without that function).
 * Callers: any. */
int ABT_pool_pop_wait_thread(ABT_pool pool, ABT_thread* thread, double time_secs) ABT_API_PUBLIC;

/** Does what ABT_pool_pop_wait_thread does, with a hint to the pool.
 * Errors: ABT_ERR_INV_POOL (null), ABT_ERR_POOL (a user's pool without that function).
 * Callers: any. */
int ABT_pool_pop_wait_thread_ex(ABT_pool pool, ABT_thread* thread, double time_secs,
                                ABT_pool_context pool_ctx) ABT_API_PUBLIC;

/** Calls print_fn with arg and each unit in the pool. print_fn may change neither the pool nor the
 * unit.
 * Errors: ABT_ERR_INV_POOL (null), ABT_ERR_POOL (a user's pool without that function).
 * Callers: any. Best while no caller pushes or pops. */
int ABT_pool_print_all_threads(ABT_pool pool, void* arg,
                               void (*print_fn)(void* arg, ABT_thread)) ABT_API_PUBLIC;

/** Stores a pointer of the user's with the pool, and replaces the old one.
 * Errors: ABT_ERR_INV_POOL (null).
 * Callers: any. Not while another caller sets or gets it. */
int ABT_pool_set_data(ABT_pool pool, void* data) ABT_API_PUBLIC;

/** Gets the pointer that was set last, or NULL if none was set.
 * Errors: ABT_ERR_INV_POOL (null).
 * Callers: any. Not while another caller sets it. */
int ABT_pool_get_data(ABT_pool pool, void** data) ABT_API_PUBLIC;

/** Pushes a scheduler as a unit. When the unit runs, the scheduler runs the units of its own pools,
 * and ends when they are empty. The unit then frees itself and, if it is automatic, the scheduler.
 * The scheduler counts as in use until then.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_POOL (null), ABT_ERR_INV_SCHED (null; in use),
 * ABT_ERR_UNIT (the pool could not make a unit), ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: any. Not at the same time as another use of this scheduler. */
int ABT_pool_add_sched(ABT_pool pool, ABT_sched sched) ABT_API_PUBLIC;

/** Gets the pool's id, a small number that no other pool has.
 * Errors: ABT_ERR_INV_POOL (null).
 * Callers: any. */
int ABT_pool_get_id(ABT_pool pool, int* id) ABT_API_PUBLIC;

/*
 * Older functions, which use ABT_unit handles.
 */

/** Takes a unit out of the pool. If the pool is empty, *unit becomes ABT_UNIT_NULL, which is no
 * error. ABT_pool_pop_thread is the newer function.
 * Errors: ABT_ERR_INV_POOL (null).
 * On error: *unit = ABT_UNIT_NULL.
 * Callers: any. */
int ABT_pool_pop(ABT_pool pool, ABT_unit* unit) ABT_API_PUBLIC;

/** Does what ABT_pool_pop does, but waits for up to time_secs seconds while the pool is empty.
 * ABT_pool_pop_wait_thread is the newer function.
 * Errors: ABT_ERR_INV_POOL (null), ABT_ERR_POOL (a user's pool without that function).
 * On error: *unit = ABT_UNIT_NULL.
 * Callers: any. Blocks the caller's OS thread. */
int ABT_pool_pop_wait(ABT_pool pool, ABT_unit* unit, double time_secs) ABT_API_PUBLIC;

/** Does what ABT_pool_pop does, but while the pool is empty waits until ABT_get_wtime reaches
 * abstime_secs. ABT_pool_pop_wait_thread is the newer function.
 * Errors: ABT_ERR_INV_POOL (null), ABT_ERR_POOL (a user's pool without that function; any pool
 * with a new definition).
 * On error: *unit = ABT_UNIT_NULL.
 * Callers: any. Blocks the caller's OS thread. */
int ABT_pool_pop_timedwait(ABT_pool pool, ABT_unit* unit,
                           double abstime_secs) ABT_DEPRECATED ABT_API_PUBLIC;

/** Takes this unit, which is in this pool, out of the pool.
 * Errors: ABT_ERR_INV_POOL (null), ABT_ERR_INV_UNIT (null), ABT_ERR_POOL (the unit is not in this
 * pool; a user's pool without that function; any pool with a new definition).
 * Callers: any. Not while another caller may pop that unit. */
int ABT_pool_remove(ABT_pool pool, ABT_unit unit) ABT_API_PUBLIC;

/** Adds a ready unit that is in no pool. If the unit belonged to another pool, it gets a new handle
 * in this pool, and the old handle becomes invalid. ABT_pool_push_thread is the newer function.
 * Errors: ABT_ERR_INV_POOL (null), ABT_ERR_INV_UNIT (null), ABT_ERR_UNIT (the pool could not make
 * a unit), ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: any. */
int ABT_pool_push(ABT_pool pool, ABT_unit unit) ABT_API_PUBLIC;

/** Does what ABT_pool_print_all_threads does, with the pool's own handles of units.
 * Errors: ABT_ERR_INV_POOL (null), ABT_ERR_POOL (a user's pool without that function).
 * Callers: any. */
int ABT_pool_print_all(ABT_pool pool, void* arg,
                       void (*print_fn)(void* arg, ABT_unit)) ABT_API_PUBLIC;

#if defined(__cplusplus)
}
#endif

#endif /* ABT_POOL_H_INCLUDED */
