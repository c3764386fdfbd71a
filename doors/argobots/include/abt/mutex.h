/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Mutexes. */
#ifndef ABT_MUTEX_H_INCLUDED
#define ABT_MUTEX_H_INCLUDED

#include "types.h"

#if defined(__cplusplus)
extern "C" {
#endif

/** Memory for a mutex, to be used without ABT_mutex_create: a static variable, or part of a
 * structure of the user's. Initialise it with one of the two initialisers. All zeros are the same
 * as ABT_MUTEX_INITIALIZER. It needs no freeing and may not be passed to ABT_mutex_free. */
typedef struct {
    int dummy[16]; /**< the library's */
} ABT_mutex_memory;

/** The initialiser of an unlocked mutex that is not recursive: ABT_mutex_memory variable =
 * ABT_MUTEX_INITIALIZER. */
#define ABT_MUTEX_INITIALIZER {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}}
/** The initialiser of an unlocked mutex that is recursive: its owner may lock it again. */
#define ABT_RECURSIVE_MUTEX_INITIALIZER {{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}}
/** The handle of the mutex in an ABT_mutex_memory. It is valid as long as the memory lives. */
#define ABT_MUTEX_MEMORY_GET_HANDLE(p_mutex_memory) ((ABT_mutex)(p_mutex_memory))

/** Creates a mutex that is not recursive: its owner may not lock it again.
 * Errors: ABT_ERR_MEM, ABT_ERR_SYS.
 * On error: *newmutex = ABT_MUTEX_NULL.
 * Callers: any. */
int ABT_mutex_create(ABT_mutex* newmutex) ABT_API_PUBLIC;

/** Creates a mutex with the attributes attr, which are copied. With a null attr it does what
 * ABT_mutex_create does.
 * Errors: ABT_ERR_MEM, ABT_ERR_SYS.
 * On error: *newmutex = ABT_MUTEX_NULL.
 * Callers: any. */
int ABT_mutex_create_with_attr(ABT_mutex_attr attr, ABT_mutex* newmutex) ABT_API_PUBLIC;

/** Frees a mutex, locked or not, and sets the handle to null. No caller may be waiting for it.
 * Errors: ABT_ERR_INV_MUTEX (null).
 * Callers: any. */
int ABT_mutex_free(ABT_mutex* mutex) ABT_API_PUBLIC;

/** Locks the mutex, and waits while another caller has it. The owner of a recursive mutex may lock
 * it again, and must unlock it as often.
 * Errors: ABT_ERR_INV_MUTEX (null).
 * Callers: any. Needs no ABT_init. May suspend. */
int ABT_mutex_lock(ABT_mutex mutex) ABT_API_PUBLIC;

/** Does what ABT_mutex_lock does, with a hint that the caller may be served before others.
 * Errors: ABT_ERR_INV_MUTEX (null).
 * Callers: any. Needs no ABT_init. May suspend. */
int ABT_mutex_lock_high(ABT_mutex mutex) ABT_API_PUBLIC;

/** Does what ABT_mutex_lock does, with a hint that the caller may be served after others.
 * Errors: ABT_ERR_INV_MUTEX (null).
 * Callers: any. Needs no ABT_init. May suspend. */
int ABT_mutex_lock_low(ABT_mutex mutex) ABT_API_PUBLIC;

/** Locks the mutex if the caller need not wait for it. It never fails while the mutex is free. A
 * caller that fails 256 times in a row yields, because the mutex may have been handed over to a
 * ULT of the same stream.
 * Errors: ABT_ERR_INV_MUTEX (null), ABT_ERR_MUTEX_LOCKED (another caller has it).
 * Callers: any. Needs no ABT_init. */
int ABT_mutex_trylock(ABT_mutex mutex) ABT_API_PUBLIC;

/** Locks the mutex, and spins while another caller has it; the spinning caller yields seldom. Use
 * it if the owner runs on another stream and unlocks soon.
 * Errors: ABT_ERR_INV_MUTEX (null).
 * Callers: any. Needs no ABT_init. */
int ABT_mutex_spinlock(ABT_mutex mutex) ABT_API_PUBLIC;

/** Unlocks a locked mutex. Only its owner may unlock a recursive mutex.
 * Errors: ABT_ERR_INV_MUTEX (null).
 * Callers: any. Needs no ABT_init. May suspend if another waits. */
int ABT_mutex_unlock(ABT_mutex mutex) ABT_API_PUBLIC;

/** Does what ABT_mutex_unlock does, with a hint to serve a waiter of the caller's stream first.
 * Errors: ABT_ERR_INV_MUTEX (null).
 * Callers: any. Needs no ABT_init. May suspend if another waits. */
int ABT_mutex_unlock_se(ABT_mutex mutex) ABT_API_PUBLIC;

/** Does what ABT_mutex_unlock does, with a hint to serve a waiter of another stream first.
 * Errors: ABT_ERR_INV_MUTEX (null).
 * Callers: any. Needs no ABT_init. May suspend if another waits. */
int ABT_mutex_unlock_de(ABT_mutex mutex) ABT_API_PUBLIC;

/** Tests whether two handles name the same mutex, or are both null. Comparing the handles is the
 * same.
 * Errors: none.
 * Callers: any. Needs no ABT_init. */
int ABT_mutex_equal(ABT_mutex mutex1, ABT_mutex mutex2, ABT_bool* result) ABT_API_PUBLIC;

/** Creates attributes that describe this mutex. The caller frees them.
 * Errors: ABT_ERR_INV_MUTEX (null), ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: any. */
int ABT_mutex_get_attr(ABT_mutex mutex, ABT_mutex_attr* attr) ABT_API_PUBLIC;

/** Creates the default attributes: not recursive.
 * Errors: ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: any. */
int ABT_mutex_attr_create(ABT_mutex_attr* newattr) ABT_API_PUBLIC;

/** Frees attributes and sets the handle to null.
 * Errors: ABT_ERR_INV_MUTEX_ATTR (null).
 * Callers: any. */
int ABT_mutex_attr_free(ABT_mutex_attr* attr) ABT_API_PUBLIC;

/** Sets whether the mutex is recursive: whether its owner may lock it again.
 * Errors: ABT_ERR_INV_MUTEX_ATTR (null).
 * Callers: any. Not at the same time as another use of these attributes. */
int ABT_mutex_attr_set_recursive(ABT_mutex_attr attr, ABT_bool recursive) ABT_API_PUBLIC;

/** Gets whether the mutex is recursive.
 * Errors: ABT_ERR_INV_MUTEX_ATTR (null).
 * Callers: any. Not while another caller sets it. */
int ABT_mutex_attr_get_recursive(ABT_mutex_attr attr, ABT_bool* recursive) ABT_API_PUBLIC;

#if defined(__cplusplus)
}
#endif

#endif /* ABT_MUTEX_H_INCLUDED */
