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
 * It is undefined which thread calls these functions, and they may not suspend. They may be called
 * concurrently unless the program that uses the pool prevents that. The context is a hint
 * (abt/pool_context.h).
 */

/** Needed. Returns the pool's unit for a ULT or tasklet: an address that no other unit has, and a
 * multiple of four. Returns ABT_UNIT_NULL if there is no memory. It may return the thread handle
 * itself; then the library needs no table from units to threads. */
typedef ABT_unit (*ABT_pool_user_create_unit_fn)(ABT_pool, ABT_thread);
/** Needed. Frees a unit of this pool. The ULT or tasklet lives on. */
typedef void (*ABT_pool_user_free_unit_fn)(ABT_pool, ABT_unit);
/** Needed. Returns whether the pool is empty. */
typedef ABT_bool (*ABT_pool_user_is_empty_fn)(ABT_pool);
/** Needed. Takes a ULT or tasklet out of the pool and returns it, or returns ABT_THREAD_NULL. */
typedef ABT_thread (*ABT_pool_user_pop_fn)(ABT_pool, ABT_pool_context);
/** Needed. Adds a unit. */
typedef void (*ABT_pool_user_push_fn)(ABT_pool, ABT_unit, ABT_pool_context);

/** Called when a pool is created, with its configuration. If it returns a code other than
 * ABT_SUCCESS, the creation fails with that code. */
typedef int (*ABT_pool_user_init_fn)(ABT_pool, ABT_pool_config);
/** Called when a pool is freed. */
typedef void (*ABT_pool_user_free_fn)(ABT_pool);
/** Returns the number of units in the pool. */
typedef size_t (*ABT_pool_user_get_size_fn)(ABT_pool);
/** Does what the pop function does, but waits for about the given number of seconds while the pool
 * is empty. */
typedef ABT_thread (*ABT_pool_user_pop_wait_fn)(ABT_pool, double, ABT_pool_context);
/** Takes at most the given number of ULTs and tasklets out of the pool, and writes how many it
 * took. Entries of the array beyond that number stay as they were. */
typedef void (*ABT_pool_user_pop_many_fn)(ABT_pool, ABT_thread*, size_t, size_t*, ABT_pool_context);
/** Adds the given number of units. */
typedef void (*ABT_pool_user_push_many_fn)(ABT_pool, const ABT_unit*, size_t, ABT_pool_context);
/** Calls the given function with arg and each ULT and tasklet in the pool. */
typedef void (*ABT_pool_user_print_all_fn)(ABT_pool, void* arg, void (*)(void*, ABT_thread));

/** Creates a definition with the functions that every pool needs. The other functions are absent
 * until they are set.
 * Errors: ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: any. */
int ABT_pool_user_def_create(ABT_pool_user_create_unit_fn p_create_unit,
                             ABT_pool_user_free_unit_fn p_free_unit,
                             ABT_pool_user_is_empty_fn p_is_empty, ABT_pool_user_pop_fn p_pop,
                             ABT_pool_user_push_fn p_push,
                             ABT_pool_user_def* newdef) ABT_API_PUBLIC;

/** Frees a definition and sets the handle to null. Pools that were created from it live on.
 * Errors: ABT_ERR_INV_POOL_USER_DEF (null).
 * Callers: any. */
int ABT_pool_user_def_free(ABT_pool_user_def* def) ABT_API_PUBLIC;

/** Sets the function that is called when a pool is created; NULL means none.
 * Errors: ABT_ERR_INV_POOL_USER_DEF (null).
 * Callers: any. Not at the same time as another use of this definition; the same holds for the
 * functions below. */
int ABT_pool_user_def_set_init(ABT_pool_user_def def, ABT_pool_user_init_fn p_init) ABT_API_PUBLIC;

/** Sets the function that is called when a pool is freed; NULL means none.
 * Errors: ABT_ERR_INV_POOL_USER_DEF (null).
 * Callers: any. */
int ABT_pool_user_def_set_free(ABT_pool_user_def def, ABT_pool_user_free_fn p_free) ABT_API_PUBLIC;

/** Sets the function that counts units. With NULL, ABT_pool_get_size and similar functions return
 * ABT_ERR_POOL.
 * Errors: ABT_ERR_INV_POOL_USER_DEF (null).
 * Callers: any. */
int ABT_pool_user_def_set_get_size(ABT_pool_user_def def,
                                   ABT_pool_user_get_size_fn p_get_size) ABT_API_PUBLIC;

/** Sets the function that waits for a unit. With NULL, ABT_pool_pop_wait and similar functions
 * return ABT_ERR_POOL.
 * Errors: ABT_ERR_INV_POOL_USER_DEF (null).
 * Callers: any. */
int ABT_pool_user_def_set_pop_wait(ABT_pool_user_def def,
                                   ABT_pool_user_pop_wait_fn p_pop_wait) ABT_API_PUBLIC;

/** Sets the function that pops several units. With NULL, ABT_pool_pop_threads and similar functions
 * return ABT_ERR_POOL.
 * Errors: ABT_ERR_INV_POOL_USER_DEF (null).
 * Callers: any. */
int ABT_pool_user_def_set_pop_many(ABT_pool_user_def def,
                                   ABT_pool_user_pop_many_fn p_pop_many) ABT_API_PUBLIC;

/** Sets the function that pushes several units. With NULL, ABT_pool_push_threads and similar
 * functions return ABT_ERR_POOL.
 * Errors: ABT_ERR_INV_POOL_USER_DEF (null).
 * Callers: any. */
int ABT_pool_user_def_set_push_many(ABT_pool_user_def def,
                                    ABT_pool_user_push_many_fn p_push_many) ABT_API_PUBLIC;

/** Sets the function that lists all units. With NULL, ABT_pool_print_all and similar functions
 * return ABT_ERR_POOL.
 * Errors: ABT_ERR_INV_POOL_USER_DEF (null).
 * Callers: any. */
int ABT_pool_user_def_set_print_all(ABT_pool_user_def def,
                                    ABT_pool_user_print_all_fn p_print_all) ABT_API_PUBLIC;

#if defined(__cplusplus)
}
#endif

#endif /* ABT_POOL_USER_DEF_H_INCLUDED */
