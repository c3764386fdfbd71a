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

/** The state of a ULT or tasklet. */
enum ABT_thread_state {
    ABT_THREAD_STATE_READY,     /**< in a pool, or about to be pushed */
    ABT_THREAD_STATE_RUNNING,   /**< on a stream */
    ABT_THREAD_STATE_BLOCKED,   /**< suspended */
    ABT_THREAD_STATE_TERMINATED /**< ended; the unit may be revived or freed */
};
typedef enum ABT_thread_state ABT_thread_state; /**< The same without `enum`. */

/*
 * Creation and end
 */

/** Creates a ULT that will call thread_func(arg), and pushes it to a pool. attr is copied; a null
 * attr means the defaults. If newthread is NULL, the ULT is unnamed: it frees itself when it ends,
 * and no caller may join it.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_POOL (null), ABT_ERR_UNIT (the pool could not make a
 * unit), ABT_ERR_MEM, ABT_ERR_SYS.
 * On error: *newthread = ABT_THREAD_NULL.
 * Callers: any. */
int ABT_thread_create(ABT_pool pool, void (*thread_func)(void*), void* arg, ABT_thread_attr attr,
                      ABT_thread* newthread) ABT_API_PUBLIC;

/** Creates a ULT as ABT_thread_create does, and runs it at once in the caller's place. The new ULT
 * belongs to pool; the caller goes back to its own pool. *newthread is written before the ULT
 * starts.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_POOL (null), ABT_ERR_INV_XSTREAM (an external
 * thread), ABT_ERR_INV_THREAD (a tasklet; a main scheduler), ABT_ERR_UNIT (the pool could not make
 * a unit), ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: ULT. May suspend. */
int ABT_thread_create_to(ABT_pool pool, void (*thread_func)(void*), void* arg, ABT_thread_attr attr,
                         ABT_thread* newthread) ABT_API_PUBLIC;

/** Does what ABT_thread_create does, with the first pool of the stream's main scheduler.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_XSTREAM (null), ABT_ERR_INV_POOL (that scheduler has
 * no pools), ABT_ERR_UNIT (the pool could not make a unit), ABT_ERR_MEM, ABT_ERR_SYS.
 * On error: *newthread = ABT_THREAD_NULL.
 * Callers: any. */
int ABT_thread_create_on_xstream(ABT_xstream xstream, void (*thread_func)(void*), void* arg,
                                 ABT_thread_attr attr, ABT_thread* newthread) ABT_API_PUBLIC;

/** Creates num_threads ULTs; number i is created from entry i of each list. If arg_list is NULL,
 * all arguments are NULL. If newthread_list is NULL, all ULTs are unnamed. attr may not hold a
 * stack. If one creation fails, the ULTs before it run all the same; to know which ones do, use
 * ABT_thread_create.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_THREAD_ATTR (attr holds a stack), ABT_ERR_INV_POOL
 * (null), ABT_ERR_UNIT (a pool could not make a unit), ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: any. */
int ABT_thread_create_many(int num_threads, ABT_pool* pool_list, void (**thread_func_list)(void*),
                           void** arg_list, ABT_thread_attr attr,
                           ABT_thread* newthread_list) ABT_API_PUBLIC;

/** Revives a unit that has ended, with another function and argument, and pushes it to a pool. The
 * unit keeps its stack, its attributes and its handle.
 * Errors: ABT_ERR_INV_THREAD (null; not ended), ABT_ERR_INV_POOL (null), ABT_ERR_UNIT (the pool
 * could not make a unit), ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: any. Not while another caller joins or frees the unit. */
int ABT_thread_revive(ABT_pool pool, void (*thread_func)(void*), void* arg,
                      ABT_thread* thread) ABT_API_PUBLIC;

/** Revives a ULT as ABT_thread_revive does, and runs it at once in the caller's place. The ULT
 * belongs to pool; the caller goes back to its own pool.
 * Errors: ABT_ERR_INV_XSTREAM (an external thread), ABT_ERR_INV_THREAD (the caller is a tasklet or
 * a main scheduler; the thread is null, a tasklet or has not ended), ABT_ERR_INV_POOL (null),
 * ABT_ERR_UNIT (the pool could not make a unit), ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: ULT. May suspend. Not while another caller joins or frees the ULT. */
int ABT_thread_revive_to(ABT_pool pool, void (*thread_func)(void*), void* arg,
                         ABT_thread* thread) ABT_API_PUBLIC;

/** Joins a unit unless it has ended, frees the unit and sets the handle to null. The destructors of
 * the unit's keys run then.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_THREAD (null; the caller; the primary ULT; a main
 * scheduler). In case of an error the handle stays.
 * Callers: any. May suspend. Only one caller at a time may join or free a unit, and none if the
 * unit has no name. */
int ABT_thread_free(ABT_thread* thread) ABT_API_PUBLIC;

/** Does what ABT_thread_free does, for num_threads units one after another. Null handles are
 * skipped. Handles that ABT_thread_free refuses may not be in the list.
 * Errors: ABT_ERR_UNINITIALIZED.
 * Callers: any. May suspend. The rule of ABT_thread_free about other callers holds for each unit.
 */
int ABT_thread_free_many(int num_threads, ABT_thread* thread_list) ABT_API_PUBLIC;

/** Waits until a unit has ended. The unit must still be freed.
 * Errors: ABT_ERR_INV_THREAD (null; the caller; the primary ULT; a main scheduler).
 * Callers: any. May suspend. Only one caller at a time may join or free a unit, and none if the
 * unit has no name. */
int ABT_thread_join(ABT_thread thread) ABT_API_PUBLIC;

/** Waits until num_threads units have ended. Null handles are skipped. Handles that ABT_thread_join
 * refuses may not be in the list.
 * Errors: none.
 * Callers: any. May suspend. The rule of ABT_thread_join about other callers holds for each unit.
 */
int ABT_thread_join_many(int num_threads, ABT_thread* thread_list) ABT_API_PUBLIC;

/** Ends the calling ULT without returning from its function: destructors of C++ objects on its
 * stack do not run. This function returns only in case of an error. ABT_self_exit is the newer
 * name.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_XSTREAM (an external thread), ABT_ERR_INV_THREAD (a
 * tasklet; the primary ULT).
 * Callers: ULT. */
int ABT_thread_exit(void) ABT_API_PUBLIC;

/** Asks a unit to end. A unit that has not started never starts. A ULT that has started ends when
 * it gives way next; if it never gives way, its function runs to the end. The unit must still be
 * joined or freed.
 * Errors: ABT_ERR_INV_THREAD (null; the primary ULT), ABT_ERR_FEATURE_NA.
 * Callers: any. */
int ABT_thread_cancel(ABT_thread thread) ABT_API_PUBLIC;

/*
 * The caller
 */

/** Gets the calling ULT. ABT_self_get_thread is the newer function, and is for tasklets, too.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_XSTREAM (an external thread), ABT_ERR_INV_THREAD (a
 * tasklet).
 * On error: *thread = ABT_THREAD_NULL.
 * Callers: ULT. For other callers the error says that they are no ULT. */
int ABT_thread_self(ABT_thread* thread) ABT_API_PUBLIC;

/** Gets the id of the calling ULT, see ABT_thread_get_id. ABT_self_get_thread_id is the newer
 * function, and is for tasklets, too.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_XSTREAM (an external thread), ABT_ERR_INV_THREAD (a
 * tasklet).
 * Callers: ULT. */
int ABT_thread_self_id(ABT_unit_id* id) ABT_API_PUBLIC;

/** Puts the caller at the end of its pool and lets other units run. ABT_self_yield is the newer
 * function.
 * Errors: none. For tasklets and external threads the function does nothing.
 * Callers: any. May suspend. */
int ABT_thread_yield(void) ABT_API_PUBLIC;

/** Takes a ready ULT out of its pool and runs it in place of the caller, which goes back to its own
 * pool. If the ULT is in no pool, nothing happens. ABT_self_yield_to is the newer function; its
 * caller must pop the ULT first.
 * Errors: ABT_ERR_INV_THREAD (the thread is null, a tasklet or the caller; the caller is a main
 * scheduler), ABT_ERR_POOL (a user's pool without the functions for that). For tasklets and
 * external threads the function does nothing.
 * Callers: any. May suspend. Not while another caller may pop that ULT. */
int ABT_thread_yield_to(ABT_thread thread) ABT_API_PUBLIC;

/** Makes a ULT ready that has suspended itself by ABT_self_suspend or a similar function, and
 * pushes it to its pool.
 * Errors: ABT_ERR_INV_THREAD (null; a tasklet), ABT_ERR_THREAD (not suspended).
 * Callers: any. Only one caller at a time may resume a ULT. Not for a ULT that waits for a mutex,
 * in a join or in a similar wait. */
int ABT_thread_resume(ABT_thread thread) ABT_API_PUBLIC;

/*
 * Where a unit runs
 */

/** Gets the stream where a unit runs or ran last, or ABT_XSTREAM_NULL if it never ran. That stream
 * may have been freed.
 * Errors: ABT_ERR_INV_THREAD (null).
 * Callers: any. */
int ABT_thread_get_last_xstream(ABT_thread thread, ABT_xstream* xstream) ABT_API_PUBLIC;

/** Gets whether a unit is ready, runs, is suspended or has ended.
 * Errors: ABT_ERR_INV_THREAD (null).
 * Callers: any. */
int ABT_thread_get_state(ABT_thread thread, ABT_thread_state* state) ABT_API_PUBLIC;

/** Gets the pool to which a unit belongs, or belonged last. That pool may have been freed.
 * Errors: ABT_ERR_INV_THREAD (null).
 * Callers: any. */
int ABT_thread_get_last_pool(ABT_thread thread, ABT_pool* pool) ABT_API_PUBLIC;

/** Gets the id of the pool to which a unit belongs, or belonged last. That pool may not have been
 * freed.
 * Errors: ABT_ERR_INV_THREAD (null).
 * Callers: any. */
int ABT_thread_get_last_pool_id(ABT_thread thread, int* id) ABT_API_PUBLIC;

/** Gets the ABT_unit by which a unit's pool knows it. It changes when the unit goes to another
 * pool.
 * Errors: ABT_ERR_INV_THREAD (null).
 * Callers: any. */
int ABT_thread_get_unit(ABT_thread thread, ABT_unit* unit) ABT_API_PUBLIC;

/** Makes a unit belong to another pool without pushing it there. The unit must be in no pool.
 * Errors: ABT_ERR_INV_THREAD (null), ABT_ERR_INV_POOL (null), ABT_ERR_UNIT (the pool could not
 * make a unit), ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: any. Not while another caller pushes or runs the unit. */
int ABT_thread_set_associated_pool(ABT_thread thread, ABT_pool pool) ABT_API_PUBLIC;

/** Asks a unit to move to a pool of a stream's main scheduler. The unit moves when it is about to
 * run or gives way next. A later request replaces an earlier one. The stream, its scheduler and
 * its pools must live until then.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_THREAD (null; not migratable; a main scheduler),
 * ABT_ERR_INV_XSTREAM (null), ABT_ERR_MIGRATION_TARGET (the unit belongs to one of these pools
 * already; there are no pools), ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: any. */
int ABT_thread_migrate_to_xstream(ABT_thread thread, ABT_xstream xstream) ABT_API_PUBLIC;

/** Does what ABT_thread_migrate_to_xstream does, with a pool of this scheduler. The scheduler's
 * get_migr_pool chooses the pool.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_THREAD (null; not migratable; a main scheduler),
 * ABT_ERR_INV_SCHED (null), ABT_ERR_MIGRATION_TARGET (the unit belongs to one of its pools
 * already; there are no pools), ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: any. */
int ABT_thread_migrate_to_sched(ABT_thread thread, ABT_sched sched) ABT_API_PUBLIC;

/** Does what ABT_thread_migrate_to_xstream does, with this pool.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_THREAD (null; not migratable; a main scheduler),
 * ABT_ERR_INV_POOL (null), ABT_ERR_MIGRATION_TARGET (the unit belongs to this pool already),
 * ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: any. */
int ABT_thread_migrate_to_pool(ABT_thread thread, ABT_pool pool) ABT_API_PUBLIC;

/** Does what ABT_thread_migrate_to_xstream does, with any running stream except the one where the
 * unit ran last. All streams must live until the unit has moved, so the other functions are safer.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_THREAD (null; not migratable; a main scheduler),
 * ABT_ERR_MIGRATION_NA (there is no such stream), ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: any. */
int ABT_thread_migrate(ABT_thread thread) ABT_API_PUBLIC;

/** Sets the function that is called each time a unit has moved, with the unit's handle and cb_arg;
 * NULL means none. It is undefined which thread calls it.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_THREAD (null), ABT_ERR_MEM, ABT_ERR_SYS,
 * ABT_ERR_FEATURE_NA.
 * Callers: any. Not while the unit may move. */
int ABT_thread_set_callback(ABT_thread thread, void (*cb_func)(ABT_thread thread, void* cb_arg),
                            void* cb_arg) ABT_API_PUBLIC;

/** Sets whether a unit may be asked to move. Does nothing, and is no error, for the primary ULT and
 * for main schedulers.
 * Errors: ABT_ERR_INV_THREAD (null), ABT_ERR_FEATURE_NA.
 * Callers: any. Not at the same time as another change of this unit. */
int ABT_thread_set_migratable(ABT_thread thread, ABT_bool migratable) ABT_API_PUBLIC;

/** Gets whether a unit may be asked to move.
 * Errors: ABT_ERR_INV_THREAD (null), ABT_ERR_FEATURE_NA.
 * Callers: any. Not while another caller sets it. */
int ABT_thread_is_migratable(ABT_thread thread, ABT_bool* is_migratable) ABT_API_PUBLIC;

/*
 * Properties of units
 */

/** Tests whether a unit is the primary ULT, which was the first to call ABT_init.
 * Errors: ABT_ERR_INV_THREAD (null).
 * Callers: any. */
int ABT_thread_is_primary(ABT_thread thread, ABT_bool* is_primary) ABT_API_PUBLIC;

/** Tests whether a unit was created without a handle, so that it frees itself.
 * Errors: ABT_ERR_INV_THREAD (null).
 * Callers: any. */
int ABT_thread_is_unnamed(ABT_thread thread, ABT_bool* is_unnamed) ABT_API_PUBLIC;

/** Tests whether two handles name the same unit, or are both null. Unlike a comparison of the
 * handles, it treats ABT_THREAD_NULL and ABT_TASK_NULL as equal.
 * Errors: none.
 * Callers: any. Needs no ABT_init. */
int ABT_thread_equal(ABT_thread thread1, ABT_thread thread2, ABT_bool* result) ABT_API_PUBLIC;

/** Gets the size of a ULT's stack in bytes, or 0 for a tasklet and for the primary ULT.
 * Errors: ABT_ERR_INV_THREAD (null).
 * Callers: any. */
int ABT_thread_get_stacksize(ABT_thread thread, size_t* stacksize) ABT_API_PUBLIC;

/** Gets the lowest address and the size of a ULT's stack. They are NULL and 0 for a tasklet and for
 * the primary ULT. The address is NULL while a ULT has no stack yet. Either pointer may be NULL.
 * Errors: ABT_ERR_INV_THREAD (null).
 * Callers: any. */
int ABT_thread_get_stack(ABT_thread thread, void** stackaddr, size_t* stacksize) ABT_API_PUBLIC;

/** Gets a unit's id. A unit gets its id when the id is first asked for. The first id after ABT_init
 * is 0, the next one is 1, and so on. A unit keeps its id until it is freed.
 * Errors: ABT_ERR_INV_THREAD (null), ABT_ERR_MEM (there are more than 2^32 - 2 ids).
 * Callers: any. */
int ABT_thread_get_id(ABT_thread thread, ABT_unit_id* thread_id) ABT_API_PUBLIC;

/** Replaces the argument of a unit's function. It takes effect when the unit starts.
 * Errors: ABT_ERR_INV_THREAD (null).
 * Callers: any. Not while the unit may start, nor at the same time as another access to its
 * argument. */
int ABT_thread_set_arg(ABT_thread thread, void* arg) ABT_API_PUBLIC;

/** Gets the argument of a unit's function.
 * Errors: ABT_ERR_INV_THREAD (null).
 * Callers: any. Not while another caller sets it. */
int ABT_thread_get_arg(ABT_thread thread, void** arg) ABT_API_PUBLIC;

/** Gets a unit's function.
 * Errors: ABT_ERR_INV_THREAD (null).
 * Callers: any. Not while the unit is being revived. */
int ABT_thread_get_thread_func(ABT_thread thread, void (**thread_func)(void*)) ABT_API_PUBLIC;

/** Sets a unit's value for a key, as ABT_self_set_specific does for the caller.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_THREAD (null), ABT_ERR_INV_KEY (null), ABT_ERR_MEM,
 * ABT_ERR_SYS.
 * Callers: any. */
int ABT_thread_set_specific(ABT_thread thread, ABT_key key, void* value) ABT_API_PUBLIC;

/** Gets a unit's value for a key, or NULL if it was never set.
 * Errors: ABT_ERR_INV_THREAD (null), ABT_ERR_INV_KEY (null).
 * Callers: any. */
int ABT_thread_get_specific(ABT_thread thread, ABT_key key, void** value) ABT_API_PUBLIC;

/** Creates attributes that describe this ULT: stack, migratability and callback. The caller frees
 * them.
 * Errors: ABT_ERR_INV_THREAD (null; a tasklet), ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: any. */
int ABT_thread_get_attr(ABT_thread thread, ABT_thread_attr* attr) ABT_API_PUBLIC;

#if defined(__cplusplus)
}
#endif

#endif /* ABT_THREAD_H_INCLUDED */
