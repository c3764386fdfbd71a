/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * How a ULT is created. Attributes are copied then, so one object serves many ULTs. */
#ifndef ABT_THREAD_ATTR_H_INCLUDED
#define ABT_THREAD_ATTR_H_INCLUDED

#include "types.h"

#if defined(__cplusplus)
extern "C" {
#endif

/** Creates the default attributes: a stack of the library's, of the size ABT_THREAD_STACKSIZE;
 * migratable; no callback. Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_MEM, ABT_ERR_SYS. On error:
 * *newattr = ABT_THREAD_ATTR_NULL. Callers: any. */
int ABT_thread_attr_create(ABT_thread_attr* newattr) ABT_API_PUBLIC;

/**
 * Frees attributes and sets the handle to null.
 * Errors: ABT_ERR_INV_THREAD_ATTR (null).
 * Callers: any.
 */
int ABT_thread_attr_free(ABT_thread_attr* attr) ABT_API_PUBLIC;

/** Sets the stack: its lowest address and its size in bytes. Such memory serves one ULT at a time
 * and is the caller's to free after that ULT. NULL means one of the library's, of this size.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_THREAD_ATTR (null), ABT_ERR_INV_ARG (the address is
 * no multiple of 8). Callers: any. Not at the same time as another use of these attributes; nor
 * are the setters below. */
int ABT_thread_attr_set_stack(ABT_thread_attr attr, void* stackaddr,
                              size_t stacksize) ABT_API_PUBLIC;

/**
 * The address set, or NULL, and the size.
 * Errors: ABT_ERR_INV_THREAD_ATTR (null).
 * Callers: any.
 */
int ABT_thread_attr_get_stack(ABT_thread_attr attr, void** stackaddr,
                              size_t* stacksize) ABT_API_PUBLIC;

/**
 * Sets the size of the stack in bytes. An address that was set stays.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_THREAD_ATTR (null).
 * Callers: any.
 */
int ABT_thread_attr_set_stacksize(ABT_thread_attr attr, size_t stacksize) ABT_API_PUBLIC;

/**
 * The size of the stack in bytes.
 * Errors: ABT_ERR_INV_THREAD_ATTR (null).
 * Callers: any.
 */
int ABT_thread_attr_get_stacksize(ABT_thread_attr attr, size_t* stacksize) ABT_API_PUBLIC;

/** Sets what is called each time the ULT has moved to another pool by request; NULL means
 * nothing. See ABT_thread_set_callback. Errors: ABT_ERR_INV_THREAD_ATTR (null),
 * ABT_ERR_FEATURE_NA. Callers: any. */
int ABT_thread_attr_set_callback(ABT_thread_attr attr,
                                 void (*cb_func)(ABT_thread thread, void* cb_arg),
                                 void* cb_arg) ABT_API_PUBLIC;

/**
 * Sets whether the ULT may be asked to move to another pool.
 * Errors: ABT_ERR_INV_THREAD_ATTR (null), ABT_ERR_FEATURE_NA.
 * Callers: any.
 */
int ABT_thread_attr_set_migratable(ABT_thread_attr attr, ABT_bool is_migratable) ABT_API_PUBLIC;

#if defined(__cplusplus)
}
#endif

#endif /* ABT_THREAD_ATTR_H_INCLUDED */
