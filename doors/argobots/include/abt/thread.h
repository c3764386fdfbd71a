/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * ULTs: units of work that may suspend. Unless a comment says ULT, these functions take tasklets
 * too. */
#ifndef ABT_THREAD_H_INCLUDED
#define ABT_THREAD_H_INCLUDED

#include "types.h"

#if defined(__cplusplus)
extern "C" {
#endif

/** What a ULT does at this moment. */
enum ABT_thread_state {
    ABT_THREAD_STATE_READY,     /**< in a pool, or about to be */
    ABT_THREAD_STATE_RUNNING,   /**< on a stream */
    ABT_THREAD_STATE_BLOCKED,   /**< suspended */
    ABT_THREAD_STATE_TERMINATED /**< ended; it may be revived or freed */
};
typedef enum ABT_thread_state ABT_thread_state; /**< The same without `enum`. */

/*
 * Birth and end
 */

/** Creates a ULT that will call thread_func(arg), and pushes it to a pool. attr is copied; null
 * means defaults. If newthread is NULL, the ULT has no name: it frees itself when it ends, and
 * nobody may join it. Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_POOL (null), ABT_ERR_UNIT (the
 * pool could not make a unit),
 *   ABT_ERR_MEM, ABT_ERR_SYS.
 * On error: *newthread = ABT_THREAD_NULL. Callers: any. */
int ABT_thread_create(ABT_pool pool, void (*thread_func)(void*), void* arg, ABT_thread_attr attr,
                      ABT_thread* newthread) ABT_API_PUBLIC;

/** The same, but the ULT starts at once in the caller's place; it belongs to the pool, and the
 * caller goes to its own. *newthread is written before the ULT starts. Errors:
 * ABT_ERR_UNINITIALIZED, ABT_ERR_INV_POOL (null), ABT_ERR_INV_XSTREAM (an external thread),
 *   ABT_ERR_INV_THREAD (a tasklet; a main scheduler), ABT_ERR_UNIT (the pool could not make a
 * unit), ABT_ERR_MEM, ABT_ERR_SYS. Callers: ULT. May suspend. */
int ABT_thread_create_to(ABT_pool pool, void (*thread_func)(void*), void* arg, ABT_thread_attr attr,
                         ABT_thread* newthread) ABT_API_PUBLIC;

/** ABT_thread_create with the first pool of a stream's main scheduler. Errors:
 * ABT_ERR_UNINITIALIZED, ABT_ERR_INV_XSTREAM (null), ABT_ERR_UNIT (the pool could not make a
 * unit),
 *   ABT_ERR_MEM, ABT_ERR_SYS.
 * On error: *newthread = ABT_THREAD_NULL. Callers: any. */
int ABT_thread_create_on_xstream(ABT_xstream xstream, void (*thread_func)(void*), void* arg,
                                 ABT_thread_attr attr, ABT_thread* newthread) ABT_API_PUBLIC;

/** Creates num_threads ULTs, number i from entry i of each list. arg_list may be NULL: all
 * arguments are. newthread_list may be NULL: all are without names. attr may not hold a stack.
 * After an error those created before it run all the same, so ABT_thread_create tells more.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_THREAD_ATTR (attr holds a stack), ABT_ERR_INV_POOL
 * (null),
 *   ABT_ERR_UNIT (a pool could not make a unit), ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: any. */
int ABT_thread_create_many(int num_threads, ABT_pool* pool_list, void (**thread_func_list)(void*),
                           void** arg_list, ABT_thread_attr attr,
                           ABT_thread* newthread_list) ABT_API_PUBLIC;

/** Makes a unit that ended run again, with another function and argument, and pushes it to a
 * pool. Stack and attributes stay. The handle too, though its address is given. Errors:
 * ABT_ERR_INV_THREAD (null; not ended), ABT_ERR_INV_POOL (null), ABT_ERR_UNIT (the pool could
 * not make a
 *   unit), ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: any. Not while another joins or frees the unit. */
int ABT_thread_revive(ABT_pool pool, void (*thread_func)(void*), void* arg,
                      ABT_thread* thread) ABT_API_PUBLIC;

/** The same, but the ULT starts at once in the caller's place; it belongs to the pool, and the
 * caller goes to its own. Errors: ABT_ERR_INV_XSTREAM (an external thread), ABT_ERR_INV_THREAD
 * (the caller is a tasklet or a main
 *   scheduler; the thread is null, a tasklet or has not ended), ABT_ERR_INV_POOL (null),
 * ABT_ERR_UNIT (the pool could not make a unit), ABT_ERR_MEM, ABT_ERR_SYS. Callers: ULT. May
 * suspend. Not while another joins or frees the ULT. */
int ABT_thread_revive_to(ABT_pool pool, void (*thread_func)(void*), void* arg,
                         ABT_thread* thread) ABT_API_PUBLIC;

/** Joins a unit unless it has ended, frees it and sets the handle to null. Destructors of its
 * keys run then. Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_THREAD (null; the caller; the
 * primary ULT; a main scheduler). The
 *   handle then stays.
 * Callers: any. May suspend. One joiner or freer of a unit at a time; none if it has no name. */
int ABT_thread_free(ABT_thread* thread) ABT_API_PUBLIC;

/** Frees so many units one after another and sets their handles to null. Null ones are passed
 * over. What ABT_thread_free refuses may not be among them. Errors: ABT_ERR_UNINITIALIZED.
 * Callers: any. May suspend. As ABT_thread_free. */
int ABT_thread_free_many(int num_threads, ABT_thread* thread_list) ABT_API_PUBLIC;

/**
 * Waits until a unit has ended. It must still be freed.
 * Errors: ABT_ERR_INV_THREAD (null; the caller; the primary ULT; a main scheduler).
 * Callers: any. May suspend. One joiner or freer of a unit at a time; none if it has no name.
 */
int ABT_thread_join(ABT_thread thread) ABT_API_PUBLIC;

/** Waits until so many units have ended. Null ones are passed over. What ABT_thread_join refuses
 * may not be among them. Errors: none. Callers: any. May suspend. As ABT_thread_join. */
int ABT_thread_join_many(int num_threads, ABT_thread* thread_list) ABT_API_PUBLIC;

/** Ends the calling ULT without returning from its function: destructors of C++ objects on its
 * stack do not run. Returns on error only. ABT_self_exit is the newer name. Errors:
 * ABT_ERR_UNINITIALIZED, ABT_ERR_INV_XSTREAM (an external thread), ABT_ERR_INV_THREAD (a
 * tasklet; the
 *   primary ULT).
 * Callers: ULT. */
int ABT_thread_exit(void) ABT_API_PUBLIC;

/** Asks a unit to end. One that has not started will not; a ULT ends where it gives way next, and
 * one that never does ends by itself. Join or free it still. Errors: ABT_ERR_INV_THREAD (null;
 * the primary ULT), ABT_ERR_FEATURE_NA. Callers: any. */
int ABT_thread_cancel(ABT_thread thread) ABT_API_PUBLIC;

/*
 * The caller
 */

/** The calling ULT. ABT_self_get_thread is the newer one, and serves tasklets too. Errors:
 * ABT_ERR_UNINITIALIZED, ABT_ERR_INV_XSTREAM (an external thread), ABT_ERR_INV_THREAD (a
 * tasklet). On error: *thread = ABT_THREAD_NULL. Callers: ULT; others may ask whether they are
 * one. */
int ABT_thread_self(ABT_thread* thread) ABT_API_PUBLIC;

/** The id of the calling ULT, see ABT_thread_get_id. ABT_self_get_thread_id is the newer one, and
 * serves tasklets too. Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_XSTREAM (an external thread),
 * ABT_ERR_INV_THREAD (a tasklet). Callers: ULT. */
int ABT_thread_self_id(ABT_unit_id* id) ABT_API_PUBLIC;

/**
 * Goes to the end of its pool and lets others run. ABT_self_yield is the newer one.
 * Errors: none: tasklets and external threads just return.
 * Callers: any. May suspend.
 */
int ABT_thread_yield(void) ABT_API_PUBLIC;

/** Takes a ready ULT out of its pool and lets it run in place of the caller, which goes to its
 * own pool. If the ULT is in no pool, nothing happens. ABT_self_yield_to is the newer one: there
 * the caller has popped the ULT before. Errors: ABT_ERR_INV_THREAD (the thread is null, a
 * tasklet or the caller; the caller is a main scheduler),
 *   ABT_ERR_POOL (a user's pool without the functions for that). Tasklets and external threads just
 * return. Callers: any. May suspend. Not if someone else may pop that ULT meanwhile. */
int ABT_thread_yield_to(ABT_thread thread) ABT_API_PUBLIC;

/** Makes a ULT ready that suspended itself by ABT_self_suspend or its like, and pushes it to its
 * pool. Errors: ABT_ERR_INV_THREAD (null; a tasklet), ABT_ERR_THREAD (not suspended). Callers:
 * any. One resumer of a ULT at a time. Not for one that waits for a mutex, a join or the like. */
int ABT_thread_resume(ABT_thread thread) ABT_API_PUBLIC;

/*
 * Where it runs
 */

/** The stream that a unit runs or ran on last; ABT_XSTREAM_NULL if it never ran. That stream may
 * be freed by now. Errors: ABT_ERR_INV_THREAD (null). Callers: any. */
int ABT_thread_get_last_xstream(ABT_thread thread, ABT_xstream* xstream) ABT_API_PUBLIC;

/**
 * Whether a unit is ready, runs, is suspended or has ended.
 * Errors: ABT_ERR_INV_THREAD (null).
 * Callers: any.
 */
int ABT_thread_get_state(ABT_thread thread, ABT_thread_state* state) ABT_API_PUBLIC;

/**
 * The pool that a unit belongs to, or belonged to last. That pool may be freed by now.
 * Errors: ABT_ERR_INV_THREAD (null).
 * Callers: any.
 */
int ABT_thread_get_last_pool(ABT_thread thread, ABT_pool* pool) ABT_API_PUBLIC;

/**
 * The number of that pool. It must still live.
 * Errors: ABT_ERR_INV_THREAD (null).
 * Callers: any.
 */
int ABT_thread_get_last_pool_id(ABT_thread thread, int* id) ABT_API_PUBLIC;

/**
 * The unit by which its pool knows it. It changes when the unit goes to another pool.
 * Errors: ABT_ERR_INV_THREAD (null).
 * Callers: any.
 */
int ABT_thread_get_unit(ABT_thread thread, ABT_unit* unit) ABT_API_PUBLIC;

/** Makes a unit belong to another pool, without pushing it there. It must be in no pool. Errors:
 * ABT_ERR_INV_THREAD (null), ABT_ERR_INV_POOL (null), ABT_ERR_UNIT (the pool could not make a
 * unit),
 *   ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: any. Not while another pushes or runs it. */
int ABT_thread_set_associated_pool(ABT_thread thread, ABT_pool pool) ABT_API_PUBLIC;

/** Asks a unit to move to a pool of a stream's main scheduler. It moves when it is run or gives
 * way next; a later request replaces an earlier one. Stream, scheduler and pools must live until
 * then. Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_THREAD (null; not migratable; a main
 * scheduler), ABT_ERR_INV_XSTREAM
 *   (null), ABT_ERR_MIGRATION_TARGET (it is in one of those pools; there are none), ABT_ERR_MEM,
 * ABT_ERR_SYS. Callers: any. */
int ABT_thread_migrate_to_xstream(ABT_thread thread, ABT_xstream xstream) ABT_API_PUBLIC;

/** The same to a pool of a scheduler, chosen by its get_migr_pool. Errors: ABT_ERR_UNINITIALIZED,
 * ABT_ERR_INV_THREAD (null; not migratable; a main scheduler), ABT_ERR_INV_SCHED
 *   (null), ABT_ERR_MIGRATION_TARGET (it is in one of those pools; there are none), ABT_ERR_MEM,
 * ABT_ERR_SYS. Callers: any. */
int ABT_thread_migrate_to_sched(ABT_thread thread, ABT_sched sched) ABT_API_PUBLIC;

/** The same to this pool. Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_THREAD (null; not
 * migratable; a main scheduler), ABT_ERR_INV_POOL
 *   (null), ABT_ERR_MIGRATION_TARGET (it belongs there already), ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: any. */
int ABT_thread_migrate_to_pool(ABT_thread thread, ABT_pool pool) ABT_API_PUBLIC;

/** The same to any running stream but the one it ran on last. All streams must live until it has
 * moved, so the others above are safer. Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_THREAD (null;
 * not migratable; a main scheduler), ABT_ERR_MIGRATION_NA
 *   (there is no such stream), ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: any. */
int ABT_thread_migrate(ABT_thread thread) ABT_API_PUBLIC;

/** Sets what is called each time a unit has moved, with its handle and cb_arg; NULL means
 * nothing. It is not defined which thread calls it. Errors: ABT_ERR_UNINITIALIZED,
 * ABT_ERR_INV_THREAD (null), ABT_ERR_MEM, ABT_ERR_SYS, ABT_ERR_FEATURE_NA. Callers: any. Not
 * while the unit may move. */
int ABT_thread_set_callback(ABT_thread thread, void (*cb_func)(ABT_thread thread, void* cb_arg),
                            void* cb_arg) ABT_API_PUBLIC;

/** Sets whether a unit may be asked to move. Of the primary ULT and main schedulers this does
 * nothing and is no error. Errors: ABT_ERR_INV_THREAD (null), ABT_ERR_FEATURE_NA. Callers: any.
 * Not at the same time as another change of this unit. */
int ABT_thread_set_migratable(ABT_thread thread, ABT_bool migratable) ABT_API_PUBLIC;

/**
 * Whether a unit may be asked to move.
 * Errors: ABT_ERR_INV_THREAD (null), ABT_ERR_FEATURE_NA.
 * Callers: any. Not while it is being set.
 */
int ABT_thread_is_migratable(ABT_thread thread, ABT_bool* is_migratable) ABT_API_PUBLIC;

/*
 * What it is
 */

/**
 * Whether it is the ULT that called ABT_init first.
 * Errors: ABT_ERR_INV_THREAD (null).
 * Callers: any.
 */
int ABT_thread_is_primary(ABT_thread thread, ABT_bool* is_primary) ABT_API_PUBLIC;

/**
 * Whether a unit was created without a name, so that it frees itself.
 * Errors: ABT_ERR_INV_THREAD (null).
 * Callers: any.
 */
int ABT_thread_is_unnamed(ABT_thread thread, ABT_bool* is_unnamed) ABT_API_PUBLIC;

/** Whether both name the same unit, or both none. The same as comparing handles, but that null
 * ones differ. Errors: none. Callers: any. Needs no ABT_init. */
int ABT_thread_equal(ABT_thread thread1, ABT_thread thread2, ABT_bool* result) ABT_API_PUBLIC;

/**
 * The size of a ULT's stack in bytes; 0 for tasklets and the primary ULT.
 * Errors: ABT_ERR_INV_THREAD (null).
 * Callers: any.
 */
int ABT_thread_get_stacksize(ABT_thread thread, size_t* stacksize) ABT_API_PUBLIC;

/** The lowest address and the size of a ULT's stack; NULL and 0 for tasklets and the primary ULT,
 * NULL while a ULT has no stack yet. Either pointer may be NULL. Errors: ABT_ERR_INV_THREAD
 * (null). Callers: any. */
int ABT_thread_get_stack(ABT_thread thread, void** stackaddr, size_t* stacksize) ABT_API_PUBLIC;

/** A unit's id. Ids are given when they are first asked for: 0 after ABT_init, then 1, and so on;
 * each keeps its id until it is freed. Errors: ABT_ERR_INV_THREAD (null), ABT_ERR_MEM (there are
 * more than 2^32 - 2 ids). Callers: any. */
int ABT_thread_get_id(ABT_thread thread, ABT_unit_id* thread_id) ABT_API_PUBLIC;

/**
 * Replaces the argument of a unit's function, for when it starts.
 * Errors: ABT_ERR_INV_THREAD (null).
 * Callers: any. Not while it may start, nor at the same time as another access to its argument.
 */
int ABT_thread_set_arg(ABT_thread thread, void* arg) ABT_API_PUBLIC;

/**
 * The argument of a unit's function.
 * Errors: ABT_ERR_INV_THREAD (null).
 * Callers: any. Not while it is being set.
 */
int ABT_thread_get_arg(ABT_thread thread, void** arg) ABT_API_PUBLIC;

/**
 * A unit's function.
 * Errors: ABT_ERR_INV_THREAD (null).
 * Callers: any. Not while the unit is being revived.
 */
int ABT_thread_get_thread_func(ABT_thread thread, void (**thread_func)(void*)) ABT_API_PUBLIC;

/** Sets a unit's value for a key, as ABT_self_set_specific does for the caller. Errors:
 * ABT_ERR_UNINITIALIZED, ABT_ERR_INV_THREAD (null), ABT_ERR_INV_KEY (null), ABT_ERR_MEM,
 * ABT_ERR_SYS. Callers: any. */
int ABT_thread_set_specific(ABT_thread thread, ABT_key key, void* value) ABT_API_PUBLIC;

/**
 * A unit's value for a key; NULL if it was never set.
 * Errors: ABT_ERR_INV_THREAD (null), ABT_ERR_INV_KEY (null).
 * Callers: any.
 */
int ABT_thread_get_specific(ABT_thread thread, ABT_key key, void** value) ABT_API_PUBLIC;

/**
 * Creates attributes as this ULT's are: stack, migratability, callback. The caller frees them.
 * Errors: ABT_ERR_INV_THREAD (null; a tasklet), ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: any.
 */
int ABT_thread_get_attr(ABT_thread thread, ABT_thread_attr* attr) ABT_API_PUBLIC;

#if defined(__cplusplus)
}
#endif

#endif /* ABT_THREAD_H_INCLUDED */
