/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Handles, and types that all groups share. */
#ifndef ABT_TYPES_H_INCLUDED
#define ABT_TYPES_H_INCLUDED

#include "config.h"

#if defined(__cplusplus)
extern "C" {
#endif

/** A truth value: ABT_TRUE or ABT_FALSE. */
typedef int ABT_bool;
#define ABT_TRUE 1  /**< yes */
#define ABT_FALSE 0 /**< no */

/** Handles are pointers to opaque objects. Their lowest two bits are zero, except in nulls. */
typedef struct ABT_xstream_opaque* ABT_xstream;                 /**< an execution stream */
typedef struct ABT_xstream_barrier_opaque* ABT_xstream_barrier; /**< a barrier for whole streams */
typedef struct ABT_sched_opaque* ABT_sched;                     /**< a scheduler */
typedef struct ABT_sched_config_opaque* ABT_sched_config;       /**< how to create a scheduler */
typedef struct ABT_pool_opaque* ABT_pool; /**< a pool of units that are ready to run */
typedef struct ABT_pool_config_opaque* ABT_pool_config; /**< how to create a pool */
typedef struct ABT_pool_def* ABT_pool_user_def; /**< the functions of a user's pool, new or old */
typedef struct ABT_unit_opaque* ABT_unit;       /**< a unit of work, as its pool stores it */
typedef struct ABT_thread_opaque* ABT_thread;   /**< a unit of work: ULT or tasklet */
typedef struct ABT_thread_opaque* ABT_task;     /**< a unit of work, where a tasklet is expected */
typedef struct ABT_thread_attr_opaque* ABT_thread_attr; /**< how to create a ULT */
typedef struct ABT_key_opaque* ABT_key;                 /**< a key: each unit has a value for it */
typedef struct ABT_mutex_opaque* ABT_mutex;             /**< a mutex */
typedef struct ABT_mutex_attr_opaque* ABT_mutex_attr;   /**< how to create a mutex */
typedef struct ABT_cond_opaque* ABT_cond;               /**< a condition variable */
typedef struct ABT_rwlock_opaque* ABT_rwlock;     /**< a lock for many readers or one writer */
typedef struct ABT_eventual_opaque* ABT_eventual; /**< a value that is set later */
typedef struct ABT_future_opaque* ABT_future;     /**< several pointers that are set later */
typedef struct ABT_barrier_opaque* ABT_barrier;   /**< a barrier for units */
typedef struct ABT_timer_opaque* ABT_timer;       /**< a stopwatch */
typedef struct ABT_tool_context_opaque*
    ABT_tool_context; /**< an event that a tool's callback may query */

#define ABT_NULL 0 /**< 1 in builds of Argobots in which all null handles are NULL */
/** The null handles, which are part of the binary interface. Each type has a value of its own, so
 * ABT_THREAD_NULL and ABT_TASK_NULL differ. */
/** @{ */
#define ABT_XSTREAM_NULL ((ABT_xstream)(0x01))
#define ABT_XSTREAM_BARRIER_NULL ((ABT_xstream_barrier)(0x02))
#define ABT_SCHED_NULL ((ABT_sched)(0x03))
#define ABT_SCHED_CONFIG_NULL ((ABT_sched_config)(0x04))
#define ABT_POOL_NULL ((ABT_pool)(0x05))
#define ABT_POOL_CONFIG_NULL ((ABT_pool_config)(0x06))
#define ABT_UNIT_NULL ((ABT_unit)(0x07))
#define ABT_THREAD_NULL ((ABT_thread)(0x08))
#define ABT_THREAD_ATTR_NULL ((ABT_thread_attr)(0x09))
#define ABT_TASK_NULL ((ABT_task)(0x0a))
#define ABT_KEY_NULL ((ABT_key)(0x0b))
#define ABT_MUTEX_NULL ((ABT_mutex)(0x0c))
#define ABT_MUTEX_ATTR_NULL ((ABT_mutex_attr)(0x0d))
#define ABT_COND_NULL ((ABT_cond)(0x0e))
#define ABT_RWLOCK_NULL ((ABT_rwlock)(0x0f))
#define ABT_EVENTUAL_NULL ((ABT_eventual)(0x10))
#define ABT_FUTURE_NULL ((ABT_future)(0x11))
#define ABT_BARRIER_NULL ((ABT_barrier)(0x12))
#define ABT_TIMER_NULL ((ABT_timer)(0x13))
#define ABT_TOOL_CONTEXT_NULL ((ABT_tool_context)(0x14))
#define ABT_POOL_USER_DEF_NULL ((ABT_pool_user_def)(0x15))
/** @} */

/** Identifies a unit of work until the unit is freed. */
typedef uint64_t ABT_unit_id;
typedef ABT_unit_id ABT_thread_id; /**< another name of ABT_unit_id */

/** The type of a unit, or of a caller that is no unit. */
enum ABT_unit_type {
    ABT_UNIT_TYPE_THREAD,  /**< a ULT */
    ABT_UNIT_TYPE_TASK,    /**< a tasklet */
    ABT_UNIT_TYPE_XSTREAM, /**< never used */
    ABT_UNIT_TYPE_EXT      /**< an external thread */
};
typedef enum ABT_unit_type ABT_unit_type; /**< The same without `enum`. */

#if defined(__cplusplus)
}
#endif

#endif /* ABT_TYPES_H_INCLUDED */
