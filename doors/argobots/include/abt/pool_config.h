/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Settings for new pools: a table from numbers to values. The library's numbers are negative, the
 * user's are not. */
#ifndef ABT_POOL_CONFIG_H_INCLUDED
#define ABT_POOL_CONFIG_H_INCLUDED

#include "types.h"

#if defined(__cplusplus)
extern "C" {
#endif

/** The type of a setting. */
typedef enum {
    ABT_POOL_CONFIG_INT = 0,    /**< an int */
    ABT_POOL_CONFIG_DOUBLE = 1, /**< a double */
    ABT_POOL_CONFIG_PTR = 2     /**< a pointer */
} ABT_pool_config_type;

/** One setting: its number and the type of its value. */
typedef struct {
    int key;                   /**< which setting */
    ABT_pool_config_type type; /**< the type of its value */
} ABT_pool_config_var;

/** Setting {-2, INT}. If its value is not 0, the pool is freed with the last scheduler that uses
 * it. Programs contain a copy of this variable. */
extern const ABT_pool_config_var ABT_pool_config_automatic ABT_API_PUBLIC;

/** Creates empty settings.
 * Errors: ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: any. */
int ABT_pool_config_create(ABT_pool_config* config) ABT_API_PUBLIC;

/** Frees settings and sets the handle to null. Pools that were created with them are not affected.
 * Errors: ABT_ERR_INV_POOL_CONFIG (null).
 * Callers: any. */
int ABT_pool_config_free(ABT_pool_config* config) ABT_API_PUBLIC;

/** Sets a setting to the value that val points to, or removes the setting if val is NULL.
 * Errors: ABT_ERR_INV_POOL_CONFIG (null), ABT_ERR_INV_ARG (no such type), ABT_ERR_MEM,
 * ABT_ERR_SYS.
 * Callers: any. Not at the same time as another access to these settings. */
int ABT_pool_config_set(ABT_pool_config config, int key, ABT_pool_config_type type,
                        const void* val) ABT_API_PUBLIC;

/** Gets a setting: its type goes to *p_type, its value to where val points. Either pointer may be
 * NULL.
 * Errors: ABT_ERR_INV_POOL_CONFIG (null), ABT_ERR_INV_ARG (not set).
 * Callers: any. Not while the settings are changed. */
int ABT_pool_config_get(ABT_pool_config config, int key, ABT_pool_config_type* p_type,
                        void* val) ABT_API_PUBLIC;

#if defined(__cplusplus)
}
#endif

#endif /* ABT_POOL_CONFIG_H_INCLUDED */
