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

/** Types of the functions in ABT_pool_def. That structure describes them. */
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

/** A definition for ABT_pool_create, which copies it. The members marked "Needed" may not be NULL.
 * It is undefined which thread calls these functions, and they may not suspend. They may be called
 * concurrently unless the program that uses the pool prevents that. */
struct ABT_pool_def {
    /** The access that ABT_pool_get_access gets. The library does not check whether the program
     * keeps to it. */
    ABT_pool_access access;

    /** Not called. */
    ABT_unit_get_type_fn u_get_type;
    ABT_unit_get_thread_fn u_get_thread; /**< not called */
    ABT_unit_get_task_fn u_get_task;     /**< not called */
    /** Returns whether the unit is in its pool now. ABT_thread_yield_to calls it. */
    ABT_unit_is_in_pool_fn u_is_in_pool;
    /** Needed. Returns the pool's unit for a ULT or tasklet: an address that no other unit has, and
     * a multiple of four. Returns ABT_UNIT_NULL if there is no memory. */
    ABT_unit_create_from_thread_fn u_create_from_thread;
    /** Not called: u_create_from_thread is called for tasklets, too. */
    ABT_unit_create_from_task_fn u_create_from_task;
    /** Needed. Frees a unit that u_create_from_thread has returned. It may change the handle. */
    ABT_unit_free_fn u_free;

    /** Called when the pool is created. If it returns a code other than ABT_SUCCESS, the creation
     * fails with that code. */
    ABT_pool_init_fn p_init;
    /** Needed. Returns the number of units in the pool; 0 means that the pool is empty. */
    ABT_pool_get_size_fn p_get_size;
    /** Needed. Adds a unit. */
    ABT_pool_push_fn p_push;
    /** Needed. Takes a unit out of the pool and returns it, or returns ABT_UNIT_NULL. */
    ABT_pool_pop_fn p_pop;
    /** Does what p_pop does, but while the pool is empty waits until ABT_get_wtime reaches the
     * given second. */
    ABT_pool_pop_timedwait_fn p_pop_timedwait;
    /** Takes this unit, which is in the pool, out of the pool. The result is ignored. */
    ABT_pool_remove_fn p_remove;
    /** Called when the pool is freed. The result is ignored. */
    ABT_pool_free_fn p_free;
    /** Calls the given function with arg and each unit in the pool. The result is ignored. */
    ABT_pool_print_all_fn p_print_all;
};
typedef struct ABT_pool_def ABT_pool_def; /**< The same without `struct`. */

#if defined(__cplusplus)
}
#endif

#endif /* ABT_POOL_DEF_H_INCLUDED */
