/* SPDX-License-Identifier: BSD-3-Clause */
/* The binary interface of Argobots 1.2 in numbers: every size, offset and value that programs
 * have compiled in. They never change. This fails to compile where abt.h says otherwise; what C
 * does not count as constant, main() checks. It calls nothing, so it needs no library. */
#include <abt.h>
#include <abtx.h>

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define VALUE(name, number) _Static_assert((name) == (number), #name)
#define SIZE(type, bytes, alignment) \
    _Static_assert(sizeof(type) == (bytes) && _Alignof(type) == (alignment), "size of " #type)
#define FIELD(type, field, offset, bytes)                                                     \
    _Static_assert(offsetof(type, field) == (offset) && sizeof(((type*)0)->field) == (bytes), \
                   #type "." #field)

_Static_assert(sizeof(void*) == 8 && sizeof(int) == 4 && sizeof(size_t) == 8,
               "these are LP64's numbers");

/* abt/config.h */
VALUE(ABT_RELEASE_TYPE_ALPHA, 0);
VALUE(ABT_RELEASE_TYPE_BETA, 1);
VALUE(ABT_RELEASE_TYPE_RC, 2);
VALUE(ABT_RELEASE_TYPE_PATCH, 3);
VALUE(ABT_NUMVERSION, 10200300);
VALUE(ABT_ENABLE_VER_20_API_VAL, 0);

/* abt/types.h */
SIZE(ABT_bool, 4, 4);
VALUE(ABT_TRUE, 1);
VALUE(ABT_FALSE, 0);
SIZE(ABT_xstream, 8, 8);
SIZE(ABT_xstream_barrier, 8, 8);
SIZE(ABT_sched, 8, 8);
SIZE(ABT_sched_config, 8, 8);
SIZE(ABT_pool, 8, 8);
SIZE(ABT_pool_config, 8, 8);
SIZE(ABT_pool_user_def, 8, 8);
SIZE(ABT_unit, 8, 8);
SIZE(ABT_thread, 8, 8);
SIZE(ABT_task, 8, 8);
SIZE(ABT_thread_attr, 8, 8);
SIZE(ABT_key, 8, 8);
SIZE(ABT_mutex, 8, 8);
SIZE(ABT_mutex_attr, 8, 8);
SIZE(ABT_cond, 8, 8);
SIZE(ABT_rwlock, 8, 8);
SIZE(ABT_eventual, 8, 8);
SIZE(ABT_future, 8, 8);
SIZE(ABT_barrier, 8, 8);
SIZE(ABT_timer, 8, 8);
SIZE(ABT_tool_context, 8, 8);
VALUE(ABT_NULL, 0);
SIZE(ABT_unit_id, 8, 8);
SIZE(ABT_thread_id, 8, 8);
VALUE(ABT_UNIT_TYPE_THREAD, 0);
VALUE(ABT_UNIT_TYPE_TASK, 1);
VALUE(ABT_UNIT_TYPE_XSTREAM, 2);
VALUE(ABT_UNIT_TYPE_EXT, 3);
SIZE(ABT_unit_type, 4, 4);

/* abt/error.h */
VALUE(ABT_SUCCESS, 0);
VALUE(ABT_ERR_UNINITIALIZED, 1);
VALUE(ABT_ERR_MEM, 2);
VALUE(ABT_ERR_OTHER, 3);
VALUE(ABT_ERR_INV_XSTREAM, 4);
VALUE(ABT_ERR_INV_XSTREAM_RANK, 5);
VALUE(ABT_ERR_INV_XSTREAM_BARRIER, 6);
VALUE(ABT_ERR_INV_SCHED, 7);
VALUE(ABT_ERR_INV_SCHED_KIND, 8);
VALUE(ABT_ERR_INV_SCHED_PREDEF, 9);
VALUE(ABT_ERR_INV_SCHED_TYPE, 10);
VALUE(ABT_ERR_INV_SCHED_CONFIG, 11);
VALUE(ABT_ERR_INV_POOL, 12);
VALUE(ABT_ERR_INV_POOL_KIND, 13);
VALUE(ABT_ERR_INV_POOL_ACCESS, 14);
VALUE(ABT_ERR_INV_UNIT, 15);
VALUE(ABT_ERR_INV_THREAD, 16);
VALUE(ABT_ERR_INV_THREAD_ATTR, 17);
VALUE(ABT_ERR_INV_TASK, 18);
VALUE(ABT_ERR_INV_KEY, 19);
VALUE(ABT_ERR_INV_MUTEX, 20);
VALUE(ABT_ERR_INV_MUTEX_ATTR, 21);
VALUE(ABT_ERR_INV_COND, 22);
VALUE(ABT_ERR_INV_RWLOCK, 23);
VALUE(ABT_ERR_INV_EVENTUAL, 24);
VALUE(ABT_ERR_INV_FUTURE, 25);
VALUE(ABT_ERR_INV_BARRIER, 26);
VALUE(ABT_ERR_INV_TIMER, 27);
VALUE(ABT_ERR_INV_QUERY_KIND, 28);
VALUE(ABT_ERR_INV_TOOL_CONTEXT, 52);
VALUE(ABT_ERR_INV_ARG, 53);
VALUE(ABT_ERR_INV_POOL_CONFIG, 56);
VALUE(ABT_ERR_INV_POOL_USER_DEF, 57);
VALUE(ABT_ERR_XSTREAM, 29);
VALUE(ABT_ERR_XSTREAM_STATE, 30);
VALUE(ABT_ERR_XSTREAM_BARRIER, 31);
VALUE(ABT_ERR_SCHED, 32);
VALUE(ABT_ERR_SCHED_CONFIG, 33);
VALUE(ABT_ERR_POOL, 34);
VALUE(ABT_ERR_UNIT, 35);
VALUE(ABT_ERR_THREAD, 36);
VALUE(ABT_ERR_TASK, 37);
VALUE(ABT_ERR_KEY, 38);
VALUE(ABT_ERR_MUTEX, 39);
VALUE(ABT_ERR_MUTEX_LOCKED, 40);
VALUE(ABT_ERR_COND, 41);
VALUE(ABT_ERR_COND_TIMEDOUT, 42);
VALUE(ABT_ERR_RWLOCK, 43);
VALUE(ABT_ERR_EVENTUAL, 44);
VALUE(ABT_ERR_FUTURE, 45);
VALUE(ABT_ERR_BARRIER, 46);
VALUE(ABT_ERR_TIMER, 47);
VALUE(ABT_ERR_MIGRATION_TARGET, 48);
VALUE(ABT_ERR_MIGRATION_NA, 49);
VALUE(ABT_ERR_MISSING_JOIN, 50);
VALUE(ABT_ERR_FEATURE_NA, 51);
VALUE(ABT_ERR_SYS, 54);
VALUE(ABT_ERR_CPUID, 55);

/* abt/xstream.h */
VALUE(ABT_XSTREAM_STATE_RUNNING, 0);
VALUE(ABT_XSTREAM_STATE_TERMINATED, 1);
SIZE(ABT_xstream_state, 4, 4);
VALUE(ABT_XSTREAM_ANY_RANK, -1);

/* abt/sched.h */
VALUE(ABT_SCHED_DEFAULT, 0);
VALUE(ABT_SCHED_BASIC, 1);
VALUE(ABT_SCHED_PRIO, 2);
VALUE(ABT_SCHED_RANDWS, 3);
VALUE(ABT_SCHED_BASIC_WAIT, 4);
SIZE(ABT_sched_predef, 4, 4);
VALUE(ABT_SCHED_TYPE_ULT, 0);
VALUE(ABT_SCHED_TYPE_TASK, 1);
SIZE(ABT_sched_type, 4, 4);
VALUE(ABT_SCHED_STATE_READY, 0);
VALUE(ABT_SCHED_STATE_RUNNING, 1);
VALUE(ABT_SCHED_STATE_STOPPED, 2);
VALUE(ABT_SCHED_STATE_TERMINATED, 3);
SIZE(ABT_sched_state, 4, 4);
SIZE(ABT_sched_init_fn, 8, 8);
SIZE(ABT_sched_run_fn, 8, 8);
SIZE(ABT_sched_free_fn, 8, 8);
SIZE(ABT_sched_get_migr_pool_fn, 8, 8);
SIZE(ABT_sched_def, 40, 8);
FIELD(ABT_sched_def, type, 0, 4);
FIELD(ABT_sched_def, init, 8, 8);
FIELD(ABT_sched_def, run, 16, 8);
FIELD(ABT_sched_def, free, 24, 8);
FIELD(ABT_sched_def, get_migr_pool, 32, 8);

/* abt/sched_config.h */
VALUE(ABT_SCHED_CONFIG_INT, 0);
VALUE(ABT_SCHED_CONFIG_DOUBLE, 1);
VALUE(ABT_SCHED_CONFIG_PTR, 2);
SIZE(ABT_sched_config_type, 4, 4);
SIZE(ABT_sched_config_var, 8, 4);
FIELD(ABT_sched_config_var, idx, 0, 4);
FIELD(ABT_sched_config_var, type, 4, 4);

/* abt/pool.h */
VALUE(ABT_POOL_FIFO, 0);
VALUE(ABT_POOL_FIFO_WAIT, 1);
VALUE(ABT_POOL_RANDWS, 2);
SIZE(ABT_pool_kind, 4, 4);
VALUE(ABT_POOL_ACCESS_PRIV, 0);
VALUE(ABT_POOL_ACCESS_SPSC, 1);
VALUE(ABT_POOL_ACCESS_MPSC, 2);
VALUE(ABT_POOL_ACCESS_SPMC, 3);
VALUE(ABT_POOL_ACCESS_MPMC, 4);
SIZE(ABT_pool_access, 4, 4);

/* abt/pool_config.h */
VALUE(ABT_POOL_CONFIG_INT, 0);
VALUE(ABT_POOL_CONFIG_DOUBLE, 1);
VALUE(ABT_POOL_CONFIG_PTR, 2);
SIZE(ABT_pool_config_type, 4, 4);
SIZE(ABT_pool_config_var, 8, 4);
FIELD(ABT_pool_config_var, key, 0, 4);
FIELD(ABT_pool_config_var, type, 4, 4);

/* abt/pool_context.h */
SIZE(ABT_pool_context, 8, 8);
VALUE(ABT_POOL_CONTEXT_PRIO_DEFAULT_PRIO, 0);
VALUE(ABT_POOL_CONTEXT_PRIO_HIGH_PRIO, 1);
VALUE(ABT_POOL_CONTEXT_PRIO_LOW_PRIO, 2);
VALUE(ABT_POOL_CONTEXT_OWNER_DEFAULT, 0);
VALUE(ABT_POOL_CONTEXT_OWNER_PRIMARY, 256);
VALUE(ABT_POOL_CONTEXT_OWNER_SECONDARY, 512);
VALUE(ABT_POOL_CONTEXT_OP_POOL_OTHER, 0);
VALUE(ABT_POOL_CONTEXT_OP_THREAD_CREATE, 0x1000);
VALUE(ABT_POOL_CONTEXT_OP_THREAD_CREATE_TO, 0x2000);
VALUE(ABT_POOL_CONTEXT_OP_THREAD_REVIVE, 0x4000);
VALUE(ABT_POOL_CONTEXT_OP_THREAD_REVIVE_TO, 0x8000);
VALUE(ABT_POOL_CONTEXT_OP_THREAD_YIELD, 0x10000);
VALUE(ABT_POOL_CONTEXT_OP_THREAD_YIELD_TO, 0x20000);
VALUE(ABT_POOL_CONTEXT_OP_THREAD_RESUME_YIELD_TO, 0x40000);
VALUE(ABT_POOL_CONTEXT_OP_THREAD_YIELD_LOOP, 0x80000);
VALUE(ABT_POOL_CONTEXT_OP_THREAD_RESUME, 0x100000);
VALUE(ABT_POOL_CONTEXT_OP_THREAD_MIGRATE, 0x200000);

/* abt/pool_def.h */
SIZE(ABT_unit_get_type_fn, 8, 8);
SIZE(ABT_unit_get_thread_fn, 8, 8);
SIZE(ABT_unit_get_task_fn, 8, 8);
SIZE(ABT_unit_is_in_pool_fn, 8, 8);
SIZE(ABT_unit_create_from_thread_fn, 8, 8);
SIZE(ABT_unit_create_from_task_fn, 8, 8);
SIZE(ABT_unit_free_fn, 8, 8);
SIZE(ABT_pool_init_fn, 8, 8);
SIZE(ABT_pool_get_size_fn, 8, 8);
SIZE(ABT_pool_push_fn, 8, 8);
SIZE(ABT_pool_pop_fn, 8, 8);
SIZE(ABT_pool_pop_wait_fn, 8, 8);
SIZE(ABT_pool_pop_timedwait_fn, 8, 8);
SIZE(ABT_pool_remove_fn, 8, 8);
SIZE(ABT_pool_free_fn, 8, 8);
SIZE(ABT_pool_print_all_fn, 8, 8);
SIZE(ABT_pool_def, 128, 8);
FIELD(ABT_pool_def, access, 0, 4);
FIELD(ABT_pool_def, u_get_type, 8, 8);
FIELD(ABT_pool_def, u_get_thread, 16, 8);
FIELD(ABT_pool_def, u_get_task, 24, 8);
FIELD(ABT_pool_def, u_is_in_pool, 32, 8);
FIELD(ABT_pool_def, u_create_from_thread, 40, 8);
FIELD(ABT_pool_def, u_create_from_task, 48, 8);
FIELD(ABT_pool_def, u_free, 56, 8);
FIELD(ABT_pool_def, p_init, 64, 8);
FIELD(ABT_pool_def, p_get_size, 72, 8);
FIELD(ABT_pool_def, p_push, 80, 8);
FIELD(ABT_pool_def, p_pop, 88, 8);
FIELD(ABT_pool_def, p_pop_timedwait, 96, 8);
FIELD(ABT_pool_def, p_remove, 104, 8);
FIELD(ABT_pool_def, p_free, 112, 8);
FIELD(ABT_pool_def, p_print_all, 120, 8);

/* abt/pool_user_def.h */
SIZE(ABT_pool_user_create_unit_fn, 8, 8);
SIZE(ABT_pool_user_free_unit_fn, 8, 8);
SIZE(ABT_pool_user_is_empty_fn, 8, 8);
SIZE(ABT_pool_user_pop_fn, 8, 8);
SIZE(ABT_pool_user_push_fn, 8, 8);
SIZE(ABT_pool_user_init_fn, 8, 8);
SIZE(ABT_pool_user_free_fn, 8, 8);
SIZE(ABT_pool_user_get_size_fn, 8, 8);
SIZE(ABT_pool_user_pop_wait_fn, 8, 8);
SIZE(ABT_pool_user_pop_many_fn, 8, 8);
SIZE(ABT_pool_user_push_many_fn, 8, 8);
SIZE(ABT_pool_user_print_all_fn, 8, 8);

/* abt/thread.h */
VALUE(ABT_THREAD_STATE_READY, 0);
VALUE(ABT_THREAD_STATE_RUNNING, 1);
VALUE(ABT_THREAD_STATE_BLOCKED, 2);
VALUE(ABT_THREAD_STATE_TERMINATED, 3);
SIZE(ABT_thread_state, 4, 4);

/* abt/task.h */
VALUE(ABT_TASK_STATE_READY, 0);
VALUE(ABT_TASK_STATE_RUNNING, 1);
VALUE(ABT_TASK_STATE_TERMINATED, 2);
SIZE(ABT_task_state, 4, 4);

/* abt/mutex.h */
SIZE(ABT_mutex_memory, 64, 4);
FIELD(ABT_mutex_memory, dummy, 0, 64);

/* abt/cond.h */
SIZE(ABT_cond_memory, 64, 4);
FIELD(ABT_cond_memory, dummy, 0, 64);

/* abt/eventual.h */
SIZE(ABT_eventual_memory, 64, 4);
FIELD(ABT_eventual_memory, dummy, 0, 64);

/* abt/info.h */
VALUE(ABT_INFO_QUERY_KIND_ENABLED_DEBUG, 0);
VALUE(ABT_INFO_QUERY_KIND_ENABLED_PRINT_ERRNO, 1);
VALUE(ABT_INFO_QUERY_KIND_ENABLED_LOG, 2);
VALUE(ABT_INFO_QUERY_KIND_ENABLED_VALGRIND, 3);
VALUE(ABT_INFO_QUERY_KIND_ENABLED_CHECK_ERROR, 4);
VALUE(ABT_INFO_QUERY_KIND_ENABLED_CHECK_POOL_PRODUCER, 5);
VALUE(ABT_INFO_QUERY_KIND_ENABLED_CHECK_POOL_CONSUMER, 6);
VALUE(ABT_INFO_QUERY_KIND_ENABLED_PRESERVE_FPU, 7);
VALUE(ABT_INFO_QUERY_KIND_ENABLED_THREAD_CANCEL, 8);
VALUE(ABT_INFO_QUERY_KIND_ENABLED_TASK_CANCEL, 9);
VALUE(ABT_INFO_QUERY_KIND_ENABLED_MIGRATION, 10);
VALUE(ABT_INFO_QUERY_KIND_ENABLED_STACKABLE_SCHED, 11);
VALUE(ABT_INFO_QUERY_KIND_ENABLED_EXTERNAL_THREAD, 12);
VALUE(ABT_INFO_QUERY_KIND_ENABLED_SCHED_SLEEP, 13);
VALUE(ABT_INFO_QUERY_KIND_ENABLED_PRINT_CONFIG, 14);
VALUE(ABT_INFO_QUERY_KIND_ENABLED_AFFINITY, 15);
VALUE(ABT_INFO_QUERY_KIND_MAX_NUM_XSTREAMS, 16);
VALUE(ABT_INFO_QUERY_KIND_DEFAULT_THREAD_STACKSIZE, 17);
VALUE(ABT_INFO_QUERY_KIND_DEFAULT_SCHED_STACKSIZE, 18);
VALUE(ABT_INFO_QUERY_KIND_DEFAULT_SCHED_EVENT_FREQ, 19);
VALUE(ABT_INFO_QUERY_KIND_DEFAULT_SCHED_SLEEP_NSEC, 20);
VALUE(ABT_INFO_QUERY_KIND_ENABLED_TOOL, 21);
VALUE(ABT_INFO_QUERY_KIND_FCONTEXT, 22);
VALUE(ABT_INFO_QUERY_KIND_DYNAMIC_PROMOTION, 23);
VALUE(ABT_INFO_QUERY_KIND_ENABLED_STACK_UNWIND, 24);
VALUE(ABT_INFO_QUERY_KIND_ENABLED_STACK_OVERFLOW_CHECK, 25);
VALUE(ABT_INFO_QUERY_KIND_WAIT_POLICY, 26);
VALUE(ABT_INFO_QUERY_KIND_ENABLED_LAZY_STACK_ALLOC, 27);
SIZE(ABT_info_query_kind, 4, 4);

/* abt/tool.h */
VALUE(ABT_TOOL_EVENT_THREAD_NONE, 0);
VALUE(ABT_TOOL_EVENT_THREAD_CREATE, 1);
VALUE(ABT_TOOL_EVENT_THREAD_JOIN, 2);
VALUE(ABT_TOOL_EVENT_THREAD_FREE, 4);
VALUE(ABT_TOOL_EVENT_THREAD_REVIVE, 8);
VALUE(ABT_TOOL_EVENT_THREAD_RUN, 16);
VALUE(ABT_TOOL_EVENT_THREAD_FINISH, 32);
VALUE(ABT_TOOL_EVENT_THREAD_CANCEL, 64);
VALUE(ABT_TOOL_EVENT_THREAD_YIELD, 128);
VALUE(ABT_TOOL_EVENT_THREAD_SUSPEND, 256);
VALUE(ABT_TOOL_EVENT_THREAD_RESUME, 512);
VALUE(ABT_TOOL_EVENT_THREAD_ALL, 4095);
VALUE(ABT_TOOL_QUERY_KIND_POOL, 0);
VALUE(ABT_TOOL_QUERY_KIND_STACK_DEPTH, 1);
VALUE(ABT_TOOL_QUERY_KIND_CALLER_TYPE, 2);
VALUE(ABT_TOOL_QUERY_KIND_CALLER_HANDLE, 3);
VALUE(ABT_TOOL_QUERY_KIND_SYNC_OBJECT_TYPE, 4);
VALUE(ABT_TOOL_QUERY_KIND_SYNC_OBJECT_HANDLE, 5);
SIZE(ABT_tool_query_kind, 4, 4);
VALUE(ABT_EXEC_ENTITY_TYPE_EXT, 0);
VALUE(ABT_EXEC_ENTITY_TYPE_THREAD, 1);
SIZE(ABT_exec_entity_type, 4, 4);
VALUE(ABT_SYNC_EVENT_TYPE_UNKNOWN, 0);
VALUE(ABT_SYNC_EVENT_TYPE_USER, 1);
VALUE(ABT_SYNC_EVENT_TYPE_OTHER, 2);
VALUE(ABT_SYNC_EVENT_TYPE_XSTREAM_JOIN, 3);
VALUE(ABT_SYNC_EVENT_TYPE_THREAD_JOIN, 4);
VALUE(ABT_SYNC_EVENT_TYPE_MUTEX, 5);
VALUE(ABT_SYNC_EVENT_TYPE_COND, 6);
VALUE(ABT_SYNC_EVENT_TYPE_RWLOCK, 7);
VALUE(ABT_SYNC_EVENT_TYPE_EVENTUAL, 8);
VALUE(ABT_SYNC_EVENT_TYPE_FUTURE, 9);
VALUE(ABT_SYNC_EVENT_TYPE_BARRIER, 10);
SIZE(ABT_sync_event_type, 4, 4);
SIZE(ABT_tool_thread_callback_fn, 8, 8);
SIZE(ABT_tool_task_callback_fn, 8, 8);

/* abtx.h */
VALUE(ABTX_TECHNIQUE_ADAPTIVE, 0);
VALUE(ABTX_TECHNIQUE_FULL, 1);
VALUE(ABTX_TECHNIQUE_LAZY_STACK, 2);
VALUE(ABTX_TECHNIQUE_RETURN_ON_COMPLETION, 3);
VALUE(ABTX_TECHNIQUE_STACK_SEPARATION, 4);
VALUE(ABTX_TECHNIQUE_SCHEDULER_CREATION, 5);
VALUE(ABTX_TECHNIQUE_RUN_TO_COMPLETION, 6);
VALUE(ABTX_WAIT_THREAD, 0);
VALUE(ABTX_WAIT_EVENTUAL, 1);
SIZE(ABTX_technique, 4, 4);
SIZE(ABTX_wait_kind, 4, 4);
SIZE(ABTX_wait_item, 16, 8);
FIELD(ABTX_wait_item, kind, 0, 4);
FIELD(ABTX_wait_item, handle, 8, 8);

VALUE(ABT_CALC_VERSION(1, 0, 7, ABT_RELEASE_TYPE_RC, 1), 10007201);
VALUE(ABT_CALC_VERSION(1, 2, 0, ABT_RELEASE_TYPE_PATCH, 0), ABT_NUMVERSION);

#ifdef ABT_ENABLE_VER_20_API
#error "interface 2.0 has another ABT_pool_def"
#endif

static ABT_mutex_memory plain = ABT_MUTEX_INITIALIZER;
static ABT_mutex_memory recursive = ABT_RECURSIVE_MUTEX_INITIALIZER;
static ABT_cond_memory condition = ABT_COND_INITIALIZER;
static ABT_eventual_memory eventual = ABT_EVENTUAL_INITIALIZER;

static int failures;

static void check(int holds, const char* what) {
    if (!holds) {
        ++failures;
        fprintf(stderr, "not so: %s\n", what);
    }
}

#define CHECK(condition) check((condition), #condition)

static void check_null_handles(void) {
    CHECK((uintptr_t)ABT_XSTREAM_NULL == 1);
    CHECK((uintptr_t)ABT_XSTREAM_BARRIER_NULL == 2);
    CHECK((uintptr_t)ABT_SCHED_NULL == 3);
    CHECK((uintptr_t)ABT_SCHED_CONFIG_NULL == 4);
    CHECK((uintptr_t)ABT_POOL_NULL == 5);
    CHECK((uintptr_t)ABT_POOL_CONFIG_NULL == 6);
    CHECK((uintptr_t)ABT_UNIT_NULL == 7);
    CHECK((uintptr_t)ABT_THREAD_NULL == 8);
    CHECK((uintptr_t)ABT_THREAD_ATTR_NULL == 9);
    CHECK((uintptr_t)ABT_TASK_NULL == 0xa);
    CHECK((uintptr_t)ABT_KEY_NULL == 0xb);
    CHECK((uintptr_t)ABT_MUTEX_NULL == 0xc);
    CHECK((uintptr_t)ABT_MUTEX_ATTR_NULL == 0xd);
    CHECK((uintptr_t)ABT_COND_NULL == 0xe);
    CHECK((uintptr_t)ABT_RWLOCK_NULL == 0xf);
    CHECK((uintptr_t)ABT_EVENTUAL_NULL == 0x10);
    CHECK((uintptr_t)ABT_FUTURE_NULL == 0x11);
    CHECK((uintptr_t)ABT_BARRIER_NULL == 0x12);
    CHECK((uintptr_t)ABT_TIMER_NULL == 0x13);
    CHECK((uintptr_t)ABT_TOOL_CONTEXT_NULL == 0x14);
    CHECK((uintptr_t)ABT_POOL_USER_DEF_NULL == 0x15);
}

/* All zero but for the first word of a recursive mutex. */
static void check_initialisers(void) {
    const int zeros[16] = {0};
    const int one[16] = {1};
    CHECK(memcmp(&plain, zeros, 64) == 0);
    CHECK(memcmp(&recursive, one, 64) == 0);
    CHECK(memcmp(&condition, zeros, 64) == 0);
    CHECK(memcmp(&eventual, zeros, 64) == 0);
}

static void check_handles_of_memory(void) {
    CHECK((void*)ABT_MUTEX_MEMORY_GET_HANDLE(&plain) == (void*)&plain);
    CHECK((void*)ABT_COND_MEMORY_GET_HANDLE(&condition) == (void*)&condition);
    CHECK((void*)ABT_EVENTUAL_MEMORY_GET_HANDLE(&eventual) == (void*)&eventual);
}

int main(void) {
    check_null_handles();
    check_initialisers();
    check_handles_of_memory();
    CHECK(strcmp(ABT_VERSION, "1.2") == 0);
    return failures != 0;
}
