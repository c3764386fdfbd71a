/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Locks for many readers or one writer. */
#ifndef ABT_RWLOCK_H_INCLUDED
#define ABT_RWLOCK_H_INCLUDED

#include "types.h"

#if defined(__cplusplus)
extern "C" {
#endif

/** Creates a lock.
 * Errors: ABT_ERR_MEM, ABT_ERR_SYS.
 * On error: *newrwlock = ABT_RWLOCK_NULL.
 * Callers: any. */
int ABT_rwlock_create(ABT_rwlock* newrwlock) ABT_API_PUBLIC;

/** Frees a lock, locked or not, and sets the handle to null. No caller may be waiting for it.
 * Errors: ABT_ERR_INV_RWLOCK (null).
 * Callers: any. */
int ABT_rwlock_free(ABT_rwlock* rwlock) ABT_API_PUBLIC;

/** Locks for reading, together with other readers. Waits while a writer has the lock. Each reader
 * must unlock once.
 * Errors: ABT_ERR_INV_RWLOCK (null), ABT_ERR_RWLOCK (a tasklet).
 * Callers: ULT, external thread. May suspend. */
int ABT_rwlock_rdlock(ABT_rwlock rwlock) ABT_API_PUBLIC;

/** Locks for writing, alone. Waits while readers or a writer have the lock.
 * Errors: ABT_ERR_INV_RWLOCK (null), ABT_ERR_RWLOCK (a tasklet).
 * Callers: ULT, external thread. May suspend. */
int ABT_rwlock_wrlock(ABT_rwlock rwlock) ABT_API_PUBLIC;

/** Unlocks the lock that the caller has for reading or for writing.
 * Errors: ABT_ERR_INV_RWLOCK (null).
 * Callers: any. May suspend if another caller waits. */
int ABT_rwlock_unlock(ABT_rwlock rwlock) ABT_API_PUBLIC;

#if defined(__cplusplus)
}
#endif

#endif /* ABT_RWLOCK_H_INCLUDED */
