/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Mutual exclusion. */
#ifndef ABT_MUTEX_H_INCLUDED
#define ABT_MUTEX_H_INCLUDED

#include "types.h"

#if defined(__cplusplus)
extern "C" {
#endif

/** Memory for a mutex without ABT_mutex_create, as a static variable or in a structure of the
 * user's. Set by one of the initialisers, or all zero for the first. It needs no freeing, and
 * ABT_mutex_free may not have it. */
typedef struct {
    int dummy[16]; /**< the library's */
} ABT_mutex_memory;

/** Unlocked; its owner may not lock it again. For ABT_mutex_memory variable =
 * ABT_MUTEX_INITIALIZER. */
#define ABT_MUTEX_INITIALIZER {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}}
/** Unlocked; its owner may lock it again. */
#define ABT_RECURSIVE_MUTEX_INITIALIZER {{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}}
/** The handle of the mutex in an ABT_mutex_memory, valid as long as that lives. */
#define ABT_MUTEX_MEMORY_GET_HANDLE(p_mutex_memory) ((ABT_mutex)(p_mutex_memory))

/**
 * Creates a mutex that its owner may not lock again.
 * Errors: ABT_ERR_MEM, ABT_ERR_SYS.
 * On error: *newmutex = ABT_MUTEX_NULL. Callers: any.
 */
int ABT_mutex_create(ABT_mutex* newmutex) ABT_API_PUBLIC;

/**
 * Creates a mutex as attr says, which is copied. Null means the same as ABT_mutex_create.
 * Errors: ABT_ERR_MEM, ABT_ERR_SYS.
 * On error: *newmutex = ABT_MUTEX_NULL. Callers: any.
 */
int ABT_mutex_create_with_attr(ABT_mutex_attr attr, ABT_mutex* newmutex) ABT_API_PUBLIC;

/**
 * Frees a mutex, locked or not, that nobody waits for, and sets the handle to null.
 * Errors: ABT_ERR_INV_MUTEX (null).
 * Callers: any.
 */
int ABT_mutex_free(ABT_mutex* mutex) ABT_API_PUBLIC;

/** Locks, waiting while another has it. The owner of a recursive mutex may lock it again and
 * unlocks it as often. Errors: ABT_ERR_INV_MUTEX (null). Callers: any. Needs no ABT_init. May
 * suspend. */
int ABT_mutex_lock(ABT_mutex mutex) ABT_API_PUBLIC;

/**
 * ABT_mutex_lock, for callers that may be served before others.
 * Errors: ABT_ERR_INV_MUTEX (null).
 * Callers: any. Needs no ABT_init. May suspend.
 */
int ABT_mutex_lock_high(ABT_mutex mutex) ABT_API_PUBLIC;

/**
 * ABT_mutex_lock, for callers that may be served after others.
 * Errors: ABT_ERR_INV_MUTEX (null).
 * Callers: any. Needs no ABT_init. May suspend.
 */
int ABT_mutex_lock_low(ABT_mutex mutex) ABT_API_PUBLIC;

/**
 * Locks if that needs no waiting. It never fails while the mutex is free. A caller that fails 256
 * times in a row yields, because the mutex may have been handed over to a ULT of the same stream.
 * Errors: ABT_ERR_INV_MUTEX (null), ABT_ERR_MUTEX_LOCKED (another has it).
 * Callers: any. Needs no ABT_init.
 */
int ABT_mutex_trylock(ABT_mutex mutex) ABT_API_PUBLIC;

/**
 * ABT_mutex_lock, but the caller spins, and yields seldom: the owner should be elsewhere and quick.
 * Errors: ABT_ERR_INV_MUTEX (null).
 * Callers: any. Needs no ABT_init.
 */
int ABT_mutex_spinlock(ABT_mutex mutex) ABT_API_PUBLIC;

/**
 * Unlocks a mutex that is locked; a recursive one by its owner only.
 * Errors: ABT_ERR_INV_MUTEX (null).
 * Callers: any. Needs no ABT_init. May suspend if another waits.
 */
int ABT_mutex_unlock(ABT_mutex mutex) ABT_API_PUBLIC;

/**
 * ABT_mutex_unlock, but a waiter of the caller's stream may be served first.
 * Errors: ABT_ERR_INV_MUTEX (null).
 * Callers: any. Needs no ABT_init. May suspend if another waits.
 */
int ABT_mutex_unlock_se(ABT_mutex mutex) ABT_API_PUBLIC;

/**
 * ABT_mutex_unlock, but a waiter of another stream may be served first.
 * Errors: ABT_ERR_INV_MUTEX (null).
 * Callers: any. Needs no ABT_init. May suspend if another waits.
 */
int ABT_mutex_unlock_de(ABT_mutex mutex) ABT_API_PUBLIC;

/**
 * Whether both name the same mutex, or both none. The same as comparing handles.
 * Errors: none.
 * Callers: any. Needs no ABT_init.
 */
int ABT_mutex_equal(ABT_mutex mutex1, ABT_mutex mutex2, ABT_bool* result) ABT_API_PUBLIC;

/**
 * Creates attributes as this mutex's are. The caller frees them.
 * Errors: ABT_ERR_INV_MUTEX (null), ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: any.
 */
int ABT_mutex_get_attr(ABT_mutex mutex, ABT_mutex_attr* attr) ABT_API_PUBLIC;

/**
 * Creates the default attributes: not recursive.
 * Errors: ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: any.
 */
int ABT_mutex_attr_create(ABT_mutex_attr* newattr) ABT_API_PUBLIC;

/**
 * Frees attributes and sets the handle to null.
 * Errors: ABT_ERR_INV_MUTEX_ATTR (null).
 * Callers: any.
 */
int ABT_mutex_attr_free(ABT_mutex_attr* attr) ABT_API_PUBLIC;

/**
 * Sets whether the owner may lock again.
 * Errors: ABT_ERR_INV_MUTEX_ATTR (null).
 * Callers: any. Not at the same time as another use of these attributes.
 */
int ABT_mutex_attr_set_recursive(ABT_mutex_attr attr, ABT_bool recursive) ABT_API_PUBLIC;

/**
 * Whether the owner may lock again.
 * Errors: ABT_ERR_INV_MUTEX_ATTR (null).
 * Callers: any. Not while it is being set.
 */
int ABT_mutex_attr_get_recursive(ABT_mutex_attr attr, ABT_bool* recursive) ABT_API_PUBLIC;

#if defined(__cplusplus)
}
#endif

#endif /* ABT_MUTEX_H_INCLUDED */
