/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Units of work as pools store them. */
#ifndef ABT_UNIT_H_INCLUDED
#define ABT_UNIT_H_INCLUDED

#include "types.h"

#if defined(__cplusplus)
extern "C" {
#endif

/** Gets the ULT or tasklet behind a pool's unit.
 * Errors: ABT_ERR_INV_UNIT (null).
 * Callers: any. */
int ABT_unit_get_thread(ABT_unit unit, ABT_thread* thread) ABT_API_PUBLIC;

/** Only checks its arguments. It exists for old programs: now a unit gets its pool when it is
 * pushed or run.
 * Errors: ABT_ERR_INV_POOL (null), ABT_ERR_INV_UNIT (null).
 * Callers: any. */
int ABT_unit_set_associated_pool(ABT_unit unit, ABT_pool pool) ABT_API_PUBLIC;

#if defined(__cplusplus)
}
#endif

#endif /* ABT_UNIT_H_INCLUDED */
