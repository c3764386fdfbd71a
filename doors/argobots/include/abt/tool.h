/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * For profilers: a callback at each event of a unit. */
#ifndef ABT_TOOL_H_INCLUDED
#define ABT_TOOL_H_INCLUDED

#include "types.h"

#if defined(__cplusplus)
extern "C" {
#endif

/** Events, one bit each. */
/** @{ */
#define ABT_TOOL_EVENT_THREAD_NONE (0)
#define ABT_TOOL_EVENT_THREAD_CREATE (1 << 0)
#define ABT_TOOL_EVENT_THREAD_JOIN (1 << 1)
#define ABT_TOOL_EVENT_THREAD_FREE (1 << 2)
#define ABT_TOOL_EVENT_THREAD_REVIVE (1 << 3)
#define ABT_TOOL_EVENT_THREAD_RUN (1 << 4)    /**< the unit starts or continues */
#define ABT_TOOL_EVENT_THREAD_FINISH (1 << 5) /**< its function has returned */
#define ABT_TOOL_EVENT_THREAD_CANCEL (1 << 6)
#define ABT_TOOL_EVENT_THREAD_YIELD (1 << 7)
#define ABT_TOOL_EVENT_THREAD_SUSPEND (1 << 8)
#define ABT_TOOL_EVENT_THREAD_RESUME (1 << 9)
#define ABT_TOOL_EVENT_THREAD_ALL ((uint64_t)((1 << 12) - 1))
/** @} */

/** What a callback may ask. Each line says the type of the answer, its meaning, and the events for
 * which there is an answer. */
enum ABT_tool_query_kind {
    ABT_TOOL_QUERY_KIND_POOL, /**< ABT_pool: the unit's pool. CREATE, REVIVE, YIELD, RESUME */
    ABT_TOOL_QUERY_KIND_STACK_DEPTH,   /**< int: number of parents up to the main scheduler. RUN,
                                          FINISH, YIELD, SUSPEND */
    ABT_TOOL_QUERY_KIND_CALLER_TYPE,   /**< ABT_exec_entity_type: what has caused the event. All */
    ABT_TOOL_QUERY_KIND_CALLER_HANDLE, /**< ABT_thread: the unit that has caused the event; NULL: an
                                          external thread. All but CANCEL */
    ABT_TOOL_QUERY_KIND_SYNC_OBJECT_TYPE,  /**< ABT_sync_event_type: why the unit gives way. YIELD,
                                              SUSPEND */
    ABT_TOOL_QUERY_KIND_SYNC_OBJECT_HANDLE /**< a handle, its type as the query above says: what the
                                              unit waits for. YIELD, SUSPEND */
};
typedef enum ABT_tool_query_kind ABT_tool_query_kind; /**< The same without `enum`. */

/** What has caused an event. */
enum ABT_exec_entity_type {
    ABT_EXEC_ENTITY_TYPE_EXT,   /**< an external thread */
    ABT_EXEC_ENTITY_TYPE_THREAD /**< a unit; for RUN, the unit that ran on that stream before */
};
typedef enum ABT_exec_entity_type ABT_exec_entity_type; /**< The same without `enum`. */

/** Why a unit gives way. The object of the event is a handle of what the unit waits for, such as an
 * ABT_xstream; for the first three reasons it is NULL. */
enum ABT_sync_event_type {
    ABT_SYNC_EVENT_TYPE_UNKNOWN = 0,
    ABT_SYNC_EVENT_TYPE_USER, /**< by its own decision, for example in ABT_thread_yield */
    ABT_SYNC_EVENT_TYPE_OTHER,
    ABT_SYNC_EVENT_TYPE_XSTREAM_JOIN,
    ABT_SYNC_EVENT_TYPE_THREAD_JOIN,
    ABT_SYNC_EVENT_TYPE_MUTEX,
    ABT_SYNC_EVENT_TYPE_COND,
    ABT_SYNC_EVENT_TYPE_RWLOCK,
    ABT_SYNC_EVENT_TYPE_EVENTUAL,
    ABT_SYNC_EVENT_TYPE_FUTURE,
    ABT_SYNC_EVENT_TYPE_BARRIER
};
typedef enum ABT_sync_event_type ABT_sync_event_type; /**< The same without `enum`. */

/** A tool's callback. It gets the unit, the stream where the event happens (ABT_XSTREAM_NULL on an
 * external thread), the event's bit, a context for queries, and the user's argument. */
typedef void (*ABT_tool_thread_callback_fn)(ABT_thread, ABT_xstream, uint64_t event,
                                            ABT_tool_context context, void* user_arg);
/** Not used by any function. */
typedef void (*ABT_tool_task_callback_fn)(ABT_task, ABT_xstream, uint64_t event,
                                          ABT_tool_context context, void* user_arg);

/*
 * The two functions below return ABT_ERR_FEATURE_NA unless LAZULT_ABT_TOOLS=on.
 */

/** Sets the callback, the events for which it is called, and its argument; a NULL callback means
 * none. All three change in one step, but calls in progress go on with the old ones. The callback
 * may not suspend. It may query the unit only by ABT_tool_query_thread, because the unit may be
 * between two states. If the callback works with units, that causes events, too.
 * Errors: ABT_ERR_FEATURE_NA, ABT_ERR_UNINITIALIZED.
 * Callers: any. */
int ABT_tool_register_thread_callback(ABT_tool_thread_callback_fn cb_func, uint64_t event_mask,
                                      void* user_arg) ABT_API_PUBLIC;

/** Answers a query of a callback: writes the answer, of the type that the kind names, to where val
 * points. It does not check whether the event has such an answer.
 * Errors: ABT_ERR_INV_TOOL_CONTEXT (null), ABT_ERR_OTHER (no such kind), ABT_ERR_FEATURE_NA.
 * Callers: callbacks, with the context and event that they received. */
int ABT_tool_query_thread(ABT_tool_context context, uint64_t event, ABT_tool_query_kind query_kind,
                          void* val) ABT_API_PUBLIC;

#if defined(__cplusplus)
}
#endif

#endif /* ABT_TOOL_H_INCLUDED */
