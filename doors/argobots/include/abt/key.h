/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Values that each unit has for itself. */
#ifndef ABT_KEY_H_INCLUDED
#define ABT_KEY_H_INCLUDED

#include "types.h"

#if defined(__cplusplus)
extern "C" {
#endif

/** Creates a key. Under the new key every unit, even one that is created later, has the value NULL.
 * When a unit is freed (not when it ends) and its value is not NULL, destructor, unless it is
 * NULL, is called with that value. This happens even if the key has been freed by then. The caller
 * that frees the unit calls the destructors of all keys, in no defined order. An unnamed unit
 * frees itself.
 * Errors: ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: any. */
int ABT_key_create(void (*destructor)(void* value), ABT_key* newkey) ABT_API_PUBLIC;

/** Frees a key and sets the handle to null. Values under the key are no longer accessible, but its
 * destructor is still called for them.
 * Errors: ABT_ERR_INV_KEY (null).
 * Callers: any. */
int ABT_key_free(ABT_key* key) ABT_API_PUBLIC;

/** Sets the caller's value under a key. ABT_self_set_specific is the newer name.
 * Errors: ABT_ERR_INV_KEY (null), ABT_ERR_UNINITIALIZED, ABT_ERR_INV_XSTREAM (an external thread),
 * ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: unit. */
int ABT_key_set(ABT_key key, void* value) ABT_API_PUBLIC;

/** Gets the caller's value under a key, or NULL if it was never set. ABT_self_get_specific is the
 * newer name.
 * Errors: ABT_ERR_INV_KEY (null), ABT_ERR_UNINITIALIZED, ABT_ERR_INV_XSTREAM (an external thread).
 * Callers: unit. */
int ABT_key_get(ABT_key key, void** value) ABT_API_PUBLIC;

#if defined(__cplusplus)
}
#endif

#endif /* ABT_KEY_H_INCLUDED */
