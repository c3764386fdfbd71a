/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Settings for new schedulers: a table of numbers and values, the library's numbers negative,
 * the user's not. */
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
    ABT_sched_config_type type; /**< of its value */
} ABT_sched_config_var;

/** Programs copy these into themselves: size and values belong to the binary interface. Do not
 * write to them. */
extern ABT_sched_config_var ABT_sched_config_var_end
    ABT_API_PUBLIC; /**< {-1, INT}: ends an argument list */
extern ABT_sched_config_var ABT_sched_config_access ABT_API_PUBLIC; /**< {-2, INT}: not used */
extern ABT_sched_config_var ABT_sched_config_automatic
    ABT_API_PUBLIC; /**< {-3, INT}: not 0: freed with its stream */
extern ABT_sched_config_var ABT_sched_basic_freq
    ABT_API_PUBLIC; /**< {-4, INT}: rounds between event checks */

/** Creates settings from pairs of an ABT_sched_config_var and its value, ended by
 * ABT_sched_config_var_end:
 *     ABT_sched_config_create(&config, ABT_sched_basic_freq, 10, ABT_sched_config_var_end);
 * Of two pairs with one number the last one counts. Errors: ABT_ERR_INV_ARG (no such type),
 * ABT_ERR_MEM, ABT_ERR_SYS. Callers: any. */
int ABT_sched_config_create(ABT_sched_config* config, ...) ABT_API_PUBLIC;

/** Reads the settings number 0 to num_vars - 1 through as many pointers to variables of the right
 * types. A NULL pointer skips one; variables of settings that are not there stay as they were.
 * For a user's init function. Errors: ABT_ERR_INV_SCHED_CONFIG (null). Callers: any. Not while
 * the settings are changed. */
int ABT_sched_config_read(ABT_sched_config config, int num_vars, ...) ABT_API_PUBLIC;

/**
 * Frees settings and sets the handle to null. Schedulers made with them keep what they took.
 * Errors: ABT_ERR_INV_SCHED_CONFIG (null).
 * Callers: any.
 */
int ABT_sched_config_free(ABT_sched_config* config) ABT_API_PUBLIC;

/** Puts the value that val points to in place of the old one, or takes the setting out if val is
 * NULL. Errors: ABT_ERR_INV_SCHED_CONFIG (null), ABT_ERR_INV_ARG (no such type), ABT_ERR_MEM,
 * ABT_ERR_SYS. Callers: any. Not at the same time as another access to these settings. */
int ABT_sched_config_set(ABT_sched_config config, int idx, ABT_sched_config_type type,
                         const void* val) ABT_API_PUBLIC;

/**
 * Reads a setting: its type to *p_type, its value to what val points to. Either may be NULL.
 * Errors: ABT_ERR_INV_SCHED_CONFIG (null), ABT_ERR_INV_ARG (not set).
 * Callers: any. Not while the settings are changed.
 */
int ABT_sched_config_get(ABT_sched_config config, int idx, ABT_sched_config_type* p_type,
                         void* val) ABT_API_PUBLIC;

#if defined(__cplusplus)
}
#endif

#endif /* ABT_SCHED_CONFIG_H_INCLUDED */
