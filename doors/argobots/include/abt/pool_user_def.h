/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The functions of a user's pool, set one by one. */
#ifndef ABT_POOL_USER_DEF_H_INCLUDED
#define ABT_POOL_USER_DEF_H_INCLUDED

#include "pool_context.h"
#include "types.h"

#if defined(__cplusplus)
extern "C" {
#endif

/*
 * It is not defined which thread calls these functions. They may not suspend. They may be called at
 * the same time unless the pool's user takes care of that. The context is a hint
 * (abt/pool_context.h).
 */

/** Needed. The pool's unit for a ULT or tasklet: an address that no other unit has, a multiple of
 * four, or ABT_UNIT_NULL if there is no memory. The thread handle itself will do: then the
 * library need not look units up. */
typedef ABT_unit (*ABT_pool_user_create_unit_fn)(ABT_pool, ABT_thread);
/** Needed. Frees a unit of this pool; the ULT or tasklet lives on. */
typedef void (*ABT_pool_user_free_unit_fn)(ABT_pool, ABT_unit);
/** Needed. Whether there is nothing in the pool. */
typedef ABT_bool (*ABT_pool_user_is_empty_fn)(ABT_pool);
/** Needed. Takes a ULT or tasklet out, or gives ABT_THREAD_NULL. */
typedef ABT_thread (*ABT_pool_user_pop_fn)(ABT_pool, ABT_pool_context);
/** Needed. Adds a unit. */
typedef void (*ABT_pool_user_push_fn)(ABT_pool, ABT_unit, ABT_pool_context);

/** When a pool is created, with its configuration. A code other than ABT_SUCCESS makes the
 * creation fail with it. */
typedef int (*ABT_pool_user_init_fn)(ABT_pool, ABT_pool_config);
/** When a pool is freed. */
typedef void (*ABT_pool_user_free_fn)(ABT_pool);
/** How many units are in the pool. */
typedef size_t (*ABT_pool_user_get_size_fn)(ABT_pool);
/** As pop, but waits for about so many seconds while the pool is empty. */
typedef ABT_thread (*ABT_pool_user_pop_wait_fn)(ABT_pool, double, ABT_pool_context);
/** Takes out at most so many ULTs and tasklets, and says how many. Entries beyond those stay as
 * they are. */
typedef void (*ABT_pool_user_pop_many_fn)(ABT_pool, ABT_thread*, size_t, size_t*, ABT_pool_context);
/** Adds so many units. */
typedef void (*ABT_pool_user_push_many_fn)(ABT_pool, const ABT_unit*, size_t, ABT_pool_context);
/** Calls the function with arg and each ULT and tasklet in the pool. */
typedef void (*ABT_pool_user_print_all_fn)(ABT_pool, void* arg, void (*)(void*, ABT_thread));

/** Creates a definition with the functions that every pool needs. The others are absent until
 * they are set. Errors: ABT_ERR_MEM, ABT_ERR_SYS. Callers: any. */
int ABT_pool_user_def_create(ABT_pool_user_create_unit_fn p_create_unit,
                             ABT_pool_user_free_unit_fn p_free_unit,
                             ABT_pool_user_is_empty_fn p_is_empty, ABT_pool_user_pop_fn p_pop,
                             ABT_pool_user_push_fn p_push,
                             ABT_pool_user_def* newdef) ABT_API_PUBLIC;

/**
 * Frees a definition and sets the handle to null. Pools made from it live on.
 * Errors: ABT_ERR_INV_POOL_USER_DEF (null).
 * Callers: any.
 */
int ABT_pool_user_def_free(ABT_pool_user_def* def) ABT_API_PUBLIC;

/** Sets what runs when a pool is created; NULL means nothing. Errors: ABT_ERR_INV_POOL_USER_DEF
 * (null). Callers: any. Not at the same time as another use of this definition; nor are the
 * functions below. */
int ABT_pool_user_def_set_init(ABT_pool_user_def def, ABT_pool_user_init_fn p_init) ABT_API_PUBLIC;

/**
 * Sets what runs when a pool is freed; NULL means nothing.
 * Errors: ABT_ERR_INV_POOL_USER_DEF (null).
 * Callers: any.
 */
int ABT_pool_user_def_set_free(ABT_pool_user_def def, ABT_pool_user_free_fn p_free) ABT_API_PUBLIC;

/**
 * Sets what counts units. If NULL, ABT_pool_get_size and its like give ABT_ERR_POOL.
 * Errors: ABT_ERR_INV_POOL_USER_DEF (null).
 * Callers: any.
 */
int ABT_pool_user_def_set_get_size(ABT_pool_user_def def,
                                   ABT_pool_user_get_size_fn p_get_size) ABT_API_PUBLIC;

/**
 * Sets what waits for a unit. If NULL, ABT_pool_pop_wait and its like give ABT_ERR_POOL.
 * Errors: ABT_ERR_INV_POOL_USER_DEF (null).
 * Callers: any.
 */
int ABT_pool_user_def_set_pop_wait(ABT_pool_user_def def,
                                   ABT_pool_user_pop_wait_fn p_pop_wait) ABT_API_PUBLIC;

/**
 * Sets what pops several at once. If NULL, ABT_pool_pop_threads and its like give ABT_ERR_POOL.
 * Errors: ABT_ERR_INV_POOL_USER_DEF (null).
 * Callers: any.
 */
int ABT_pool_user_def_set_pop_many(ABT_pool_user_def def,
                                   ABT_pool_user_pop_many_fn p_pop_many) ABT_API_PUBLIC;

/**
 * Sets what pushes several at once. If NULL, ABT_pool_push_threads and its like give ABT_ERR_POOL.
 * Errors: ABT_ERR_INV_POOL_USER_DEF (null).
 * Callers: any.
 */
int ABT_pool_user_def_set_push_many(ABT_pool_user_def def,
                                    ABT_pool_user_push_many_fn p_push_many) ABT_API_PUBLIC;

/**
 * Sets what goes over all units. If NULL, ABT_pool_print_all and its like give ABT_ERR_POOL.
 * Errors: ABT_ERR_INV_POOL_USER_DEF (null).
 * Callers: any.
 */
int ABT_pool_user_def_set_print_all(ABT_pool_user_def def,
                                    ABT_pool_user_print_all_fn p_print_all) ABT_API_PUBLIC;

#if defined(__cplusplus)
}
#endif

#endif /* ABT_POOL_USER_DEF_H_INCLUDED */
