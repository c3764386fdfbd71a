/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The attributes of a ULT. They are copied when a ULT is created, so one object serves for many
 * ULTs. */
#ifndef ABT_THREAD_ATTR_H_INCLUDED
#define ABT_THREAD_ATTR_H_INCLUDED

#include "types.h"

#if defined(__cplusplus)
extern "C" {
#endif

/** Creates the default attributes: a stack of the library's with the size ABT_THREAD_STACKSIZE,
 * migratable, no callback.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_MEM, ABT_ERR_SYS.
 * On error: *newattr = ABT_THREAD_ATTR_NULL.
 * Callers: any. */
int ABT_thread_attr_create(ABT_thread_attr* newattr) ABT_API_PUBLIC;

/** Frees attributes and sets the handle to null.
 * Errors: ABT_ERR_INV_THREAD_ATTR (null).
 * Callers: any. */
int ABT_thread_attr_free(ABT_thread_attr* attr) ABT_API_PUBLIC;

/** Sets the lowest address of the stack and its size in bytes. Such memory is for one ULT at a
 * time, and the caller may free it after that ULT. With a NULL address the library provides a
 * stack of this size.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_THREAD_ATTR (null), ABT_ERR_INV_ARG (the address is
 * no multiple of 8).
 * Callers: any. Not at the same time as another use of these attributes; the same holds for the
 * setters below. */
int ABT_thread_attr_set_stack(ABT_thread_attr attr, void* stackaddr,
                              size_t stacksize) ABT_API_PUBLIC;

/** Gets the address that was set, or NULL, and the size.
 * Errors: ABT_ERR_INV_THREAD_ATTR (null).
 * Callers: any. */
int ABT_thread_attr_get_stack(ABT_thread_attr attr, void** stackaddr,
                              size_t* stacksize) ABT_API_PUBLIC;

/** Sets the size of the stack in bytes. An address that was set before stays.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_THREAD_ATTR (null).
 * Callers: any. */
int ABT_thread_attr_set_stacksize(ABT_thread_attr attr, size_t stacksize) ABT_API_PUBLIC;

/** Gets the size of the stack in bytes.
 * Errors: ABT_ERR_INV_THREAD_ATTR (null).
 * Callers: any. */
int ABT_thread_attr_get_stacksize(ABT_thread_attr attr, size_t* stacksize) ABT_API_PUBLIC;

/** Sets the function that is called each time the ULT has moved to another pool by request; NULL
 * means none. See ABT_thread_set_callback.
 * Errors: ABT_ERR_INV_THREAD_ATTR (null), ABT_ERR_FEATURE_NA.
 * Callers: any. */
int ABT_thread_attr_set_callback(ABT_thread_attr attr,
                                 void (*cb_func)(ABT_thread thread, void* cb_arg),
                                 void* cb_arg) ABT_API_PUBLIC;

/** Sets whether the ULT may be asked to move to another pool.
 * Errors: ABT_ERR_INV_THREAD_ATTR (null), ABT_ERR_FEATURE_NA.
 * Callers: any. */
int ABT_thread_attr_set_migratable(ABT_thread_attr attr, ABT_bool is_migratable) ABT_API_PUBLIC;

#if defined(__cplusplus)
}
#endif

#endif /* ABT_THREAD_ATTR_H_INCLUDED */
