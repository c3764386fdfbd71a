/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The old way to define a pool: a structure of functions. New programs use abt/pool_user_def.h. */
#ifndef ABT_POOL_DEF_H_INCLUDED
#define ABT_POOL_DEF_H_INCLUDED

#include "pool.h"
#include "types.h"

#if defined(__cplusplus)
extern "C" {
#endif

/** The type of a function of ABT_pool_def, where each is described. */
/** @{ */
typedef ABT_unit_type (*ABT_unit_get_type_fn)(ABT_unit);
typedef ABT_thread (*ABT_unit_get_thread_fn)(ABT_unit);
typedef ABT_task (*ABT_unit_get_task_fn)(ABT_unit);
typedef ABT_bool (*ABT_unit_is_in_pool_fn)(ABT_unit);
typedef ABT_unit (*ABT_unit_create_from_thread_fn)(ABT_thread);
typedef ABT_unit (*ABT_unit_create_from_task_fn)(ABT_task);
typedef void (*ABT_unit_free_fn)(ABT_unit*);
typedef int (*ABT_pool_init_fn)(ABT_pool, ABT_pool_config);
typedef size_t (*ABT_pool_get_size_fn)(ABT_pool);
typedef void (*ABT_pool_push_fn)(ABT_pool, ABT_unit);
typedef ABT_unit (*ABT_pool_pop_fn)(ABT_pool);
typedef ABT_unit (*ABT_pool_pop_wait_fn)(ABT_pool, double);
typedef ABT_unit (*ABT_pool_pop_timedwait_fn)(ABT_pool, double);
typedef int (*ABT_pool_remove_fn)(ABT_pool, ABT_unit);
typedef int (*ABT_pool_free_fn)(ABT_pool);
typedef int (*ABT_pool_print_all_fn)(ABT_pool, void* arg, void (*)(void*, ABT_unit));
/** @} */

/**
 * For ABT_pool_create, which copies it. What is marked "needed" may not be NULL. It is not defined
 * which thread calls these functions. They may not suspend. All may be called at the same time
 * unless the pool's user takes care of that.
 */
struct ABT_pool_def {
    /** What ABT_pool_get_access tells. The library does not check it. */
    ABT_pool_access access;

    /** Not called. */
    ABT_unit_get_type_fn u_get_type;
    ABT_unit_get_thread_fn u_get_thread; /**< not called */
    ABT_unit_get_task_fn u_get_task;     /**< not called */
    /** Whether the unit is in its pool now. ABT_thread_yield_to calls it. */
    ABT_unit_is_in_pool_fn u_is_in_pool;
    /** Needed. The pool's unit for a ULT or tasklet: an address of its own, a multiple of four,
     * or ABT_UNIT_NULL if there is no memory. */
    ABT_unit_create_from_thread_fn u_create_from_thread;
    /** Not called: tasklets go through the one above. */
    ABT_unit_create_from_task_fn u_create_from_task;
    /** Needed. Frees what u_create_from_thread gave; may change the handle. */
    ABT_unit_free_fn u_free;

    /** When the pool is created. A code other than ABT_SUCCESS makes the creation fail with it. */
    ABT_pool_init_fn p_init;
    /** Needed. How many units are in it; 0 means empty. */
    ABT_pool_get_size_fn p_get_size;
    /** Needed. Adds a unit. */
    ABT_pool_push_fn p_push;
    /** Needed. Takes a unit out, or gives ABT_UNIT_NULL. */
    ABT_pool_pop_fn p_pop;
    /** The same, waiting until ABT_get_wtime reaches the given second at the latest. */
    ABT_pool_pop_timedwait_fn p_pop_timedwait;
    /** Takes this unit out, which is in it. What it returns is not used. */
    ABT_pool_remove_fn p_remove;
    /** When the pool is freed. What it returns is not used. */
    ABT_pool_free_fn p_free;
    /** Calls the function with arg and each unit. What it returns is not used. */
    ABT_pool_print_all_fn p_print_all;
};
typedef struct ABT_pool_def ABT_pool_def; /**< The same without `struct`. */

#if defined(__cplusplus)
}
#endif

#endif /* ABT_POOL_DEF_H_INCLUDED */
