/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Settings for new schedulers: a table from numbers to values. The library's numbers are negative,
 * the user's are not. */
#ifndef ABT_SCHED_CONFIG_H_INCLUDED
#define ABT_SCHED_CONFIG_H_INCLUDED

#include "types.h"

#if defined(__cplusplus)
extern "C" {
#endif

/** The type of a setting. */
typedef enum {
    ABT_SCHED_CONFIG_INT = 0,    /**< an int */
    ABT_SCHED_CONFIG_DOUBLE = 1, /**< a double */
    ABT_SCHED_CONFIG_PTR = 2     /**< a pointer */
} ABT_sched_config_type;

/** One setting: its number and the type of its value. */
typedef struct {
    int idx;                    /**< which setting */
    ABT_sched_config_type type; /**< the type of its value */
} ABT_sched_config_var;

/** The library's settings. Programs contain copies of these variables, so their sizes and values
 * are part of the binary interface. Programs may not write to them. */
extern ABT_sched_config_var ABT_sched_config_var_end
    ABT_API_PUBLIC; /**< {-1, INT}: ends an argument list */
extern ABT_sched_config_var ABT_sched_config_access ABT_API_PUBLIC; /**< {-2, INT}: not used */
extern ABT_sched_config_var ABT_sched_config_automatic
    ABT_API_PUBLIC; /**< {-3, INT}: if not 0, the scheduler is freed with its stream */
extern ABT_sched_config_var ABT_sched_basic_freq
    ABT_API_PUBLIC; /**< {-4, INT}: rounds between event checks */

/** Creates settings from pairs of an ABT_sched_config_var and a value. The list ends with
 * ABT_sched_config_var_end:
 *     ABT_sched_config_create(&config, ABT_sched_basic_freq, 10, ABT_sched_config_var_end);
 * If two pairs have the same number, the later one counts.
 * Errors: ABT_ERR_INV_ARG (no such type), ABT_ERR_MEM, ABT_ERR_SYS.
 * Callers: any. */
int ABT_sched_config_create(ABT_sched_config* config, ...) ABT_API_PUBLIC;

/** Reads the settings with the numbers 0 to num_vars - 1. The further arguments are num_vars
 * pointers to variables of the right types. A NULL pointer skips a setting; the variable of an
 * absent setting stays as it was. It is meant for a user's init function.
 * Errors: ABT_ERR_INV_SCHED_CONFIG (null).
 * Callers: any. Not while the settings are changed. */
int ABT_sched_config_read(ABT_sched_config config, int num_vars, ...) ABT_API_PUBLIC;

/** Frees settings and sets the handle to null. Schedulers that were created with them are not
 * affected.
 * Errors: ABT_ERR_INV_SCHED_CONFIG (null).
 * Callers: any. */
int ABT_sched_config_free(ABT_sched_config* config) ABT_API_PUBLIC;

/** Sets a setting to the value that val points to, or removes the setting if val is NULL.
 * Errors: ABT_ERR_INV_SCHED_CONFIG (null), ABT_ERR_INV_ARG (no such type), ABT_ERR_MEM,
 * ABT_ERR_SYS.
 * Callers: any. Not at the same time as another access to these settings. */
int ABT_sched_config_set(ABT_sched_config config, int idx, ABT_sched_config_type type,
                         const void* val) ABT_API_PUBLIC;

/** Gets a setting: its type goes to *p_type, its value to where val points. Either pointer may be
 * NULL.
 * Errors: ABT_ERR_INV_SCHED_CONFIG (null), ABT_ERR_INV_ARG (not set).
 * Callers: any. Not while the settings are changed. */
int ABT_sched_config_get(ABT_sched_config config, int idx, ABT_sched_config_type* p_type,
                         void* val) ABT_API_PUBLIC;

#if defined(__cplusplus)
}
#endif

#endif /* ABT_SCHED_CONFIG_H_INCLUDED */
