/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Locks for many readers or one writer. */
#ifndef ABT_RWLOCK_H_INCLUDED
#define ABT_RWLOCK_H_INCLUDED

#include "types.h"

#if defined(__cplusplus)
extern "C" {
#endif

/**
 * Creates a lock.
 * Errors: ABT_ERR_MEM, ABT_ERR_SYS.
 * On error: *newrwlock = ABT_RWLOCK_NULL. Callers: any.
 */
int ABT_rwlock_create(ABT_rwlock* newrwlock) ABT_API_PUBLIC;

/**
 * Frees a lock, locked or not, that nobody waits for, and sets the handle to null.
 * Errors: ABT_ERR_INV_RWLOCK (null).
 * Callers: any.
 */
int ABT_rwlock_free(ABT_rwlock* rwlock) ABT_API_PUBLIC;

/**
 * Locks as one of many readers, waiting while a writer has it. Each reader unlocks once.
 * Errors: ABT_ERR_INV_RWLOCK (null), ABT_ERR_RWLOCK (a tasklet).
 * Callers: ULT, external thread. May suspend.
 */
int ABT_rwlock_rdlock(ABT_rwlock rwlock) ABT_API_PUBLIC;

/**
 * Locks as the only one, waiting while readers or a writer have it.
 * Errors: ABT_ERR_INV_RWLOCK (null), ABT_ERR_RWLOCK (a tasklet).
 * Callers: ULT, external thread. May suspend.
 */
int ABT_rwlock_wrlock(ABT_rwlock rwlock) ABT_API_PUBLIC;

/**
 * Gives up the lock that the caller has, as reader or writer.
 * Errors: ABT_ERR_INV_RWLOCK (null).
 * Callers: any. May suspend if another waits.
 */
int ABT_rwlock_unlock(ABT_rwlock rwlock) ABT_API_PUBLIC;

#if defined(__cplusplus)
}
#endif

#endif /* ABT_RWLOCK_H_INCLUDED */
