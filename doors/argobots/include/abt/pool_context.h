/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Why a unit is pushed or popped. This is a hint: a pool must work correctly with any context. */
#ifndef ABT_POOL_CONTEXT_H_INCLUDED
#define ABT_POOL_CONTEXT_H_INCLUDED

#include "types.h"

#if defined(__cplusplus)
extern "C" {
#endif

/** A combination of flags, at most one of each group below. The values are passed to users' pools,
 * so they are part of the binary interface. */
typedef uint64_t ABT_pool_context;

/** Push and pop: how urgent the unit is. */
/** @{ */
#define ABT_POOL_CONTEXT_PRIO_DEFAULT_PRIO ((ABT_pool_context)0x0)
#define ABT_POOL_CONTEXT_PRIO_HIGH_PRIO ((ABT_pool_context)0x1)
#define ABT_POOL_CONTEXT_PRIO_LOW_PRIO ((ABT_pool_context)0x2)
/** @} */

/** Push and pop: whether the pool is the caller's own. A stealing scheduler is PRIMARY for its own
 * pool and SECONDARY for pools of others. */
/** @{ */
#define ABT_POOL_CONTEXT_OWNER_DEFAULT ((ABT_pool_context)0x0)
#define ABT_POOL_CONTEXT_OWNER_PRIMARY ((ABT_pool_context)0x100)
#define ABT_POOL_CONTEXT_OWNER_SECONDARY ((ABT_pool_context)0x200)
/** @} */

/** Push and pop: the operation is none of those below. */
#define ABT_POOL_CONTEXT_OP_POOL_OTHER ((ABT_pool_context)0x0)

/** Push: the operation that pushes. In those with _TO the pushed unit is the caller, which gives
 * way to another unit. */
/** @{ */
#define ABT_POOL_CONTEXT_OP_THREAD_CREATE ((ABT_pool_context)0x1000)
#define ABT_POOL_CONTEXT_OP_THREAD_CREATE_TO ((ABT_pool_context)0x2000)
#define ABT_POOL_CONTEXT_OP_THREAD_REVIVE ((ABT_pool_context)0x4000)
#define ABT_POOL_CONTEXT_OP_THREAD_REVIVE_TO ((ABT_pool_context)0x8000)
#define ABT_POOL_CONTEXT_OP_THREAD_YIELD ((ABT_pool_context)0x10000)
#define ABT_POOL_CONTEXT_OP_THREAD_YIELD_TO ((ABT_pool_context)0x20000)
#define ABT_POOL_CONTEXT_OP_THREAD_RESUME_YIELD_TO ((ABT_pool_context)0x40000)
#define ABT_POOL_CONTEXT_OP_THREAD_YIELD_LOOP ((ABT_pool_context)0x80000) /**< a polling unit */
#define ABT_POOL_CONTEXT_OP_THREAD_RESUME ((ABT_pool_context)0x100000)
#define ABT_POOL_CONTEXT_OP_THREAD_MIGRATE ((ABT_pool_context)0x200000)
/** @} */

#if defined(__cplusplus)
}
#endif

#endif /* ABT_POOL_CONTEXT_H_INCLUDED */
