/* SPDX-License-Identifier: BSD-3-Clause */
/* Stacks, and what the library says of itself. */
#include "numbers.h"

static long long attribute_size(ABT_thread_attr attr) {
    size_t size = 99;
    ABT_thread_attr_get_stacksize(attr, &size);
    return (long long)size;
}
static long long created_with(ABT_thread_attr attr) {
    ABT_thread t = ABT_THREAD_NULL;
    MUST(ABT_thread_create(main_pool(), nothing, NULL, attr, &t));
    const long long size = stack_size_of(t);
    ABT_thread_join(t);
    IS("the same when it has ended", stack_size_of(t) == size, 1);
    ABT_thread_free(&t);
    return size;
}

void stacks(void) {
    static char memory[32768] __attribute__((aligned(64)));
    MUST(ABT_init(0, NULL));
    ABT_thread_attr attr = ABT_THREAD_ATTR_NULL;
    void* address = memory;
    size_t size = 99;
    long long told = 0;
    MUST(ABT_info_query_config(ABT_INFO_QUERY_KIND_DEFAULT_THREAD_STACKSIZE, &told));
    MUST(ABT_thread_attr_create(&attr));
    IS("by default", attribute_size(attr) == told, 1);
    CODE(ABT_thread_attr_get_stack(attr, &address, &size), ABT_SUCCESS);
    IS("the address is NULL", address == NULL, 1);
    IS("a ULT without attributes", created_with(ABT_THREAD_ATTR_NULL) == told, 1);
    IS("a ULT with default attributes", created_with(attr) == told, 1);
    CODE(ABT_thread_attr_set_stacksize(attr, 98304), ABT_SUCCESS);
    IS("as set", attribute_size(attr), 98304);
    IS("a ULT of that", created_with(attr), 98304);
    CODE(ABT_thread_attr_set_stacksize(attr, 65537), ABT_SUCCESS);
    IS("an odd size", attribute_size(attr), 65537);
    CODE(ABT_thread_attr_set_stacksize(attr, (size_t)8 << 20), ABT_SUCCESS);
    IS("a ULT of 8 MiB", created_with(attr), 8388608);
    CODE(ABT_thread_attr_set_stack(attr, memory, sizeof memory), ABT_SUCCESS);
    IS("of a stack given", attribute_size(attr), 32768);
    IS("a ULT with a stack given", created_with(attr), 32768);
    ABT_thread t = ABT_THREAD_NULL;
    ABT_thread_create(main_pool(), nothing, NULL, attr, &t);
    CODE(ABT_thread_get_stack(t, &address, &size), ABT_SUCCESS);
    IS("its address", (char*)address == memory, 1);
    IS("its size", size, 32768);
    ABT_thread_attr copy = ABT_THREAD_ATTR_NULL;
    CODE(ABT_thread_get_attr(t, &copy), ABT_SUCCESS);
    IS("in its attributes", attribute_size(copy), 32768);
    MUST(ABT_thread_attr_free(&copy));
    ABT_thread_free(&t);
    CODE(ABT_thread_attr_set_stack(attr, memory + 4, 1000), ABT_ERR_INV_ARG);
    CODE(ABT_thread_attr_set_stack(attr, NULL, 20480), ABT_SUCCESS);
    IS("without an address", attribute_size(attr), 20480);
    IS("a ULT of that, too", created_with(attr), 20480);
    MUST(ABT_thread_attr_free(&attr));
    CODE(ABT_thread_attr_free(&attr), ABT_ERR_INV_THREAD_ATTR);
    IS("the primary ULT", stack_size_of(current_unit()), 0);
    CODE(ABT_thread_get_stack(current_unit(), &address, &size), ABT_SUCCESS);
    IS("the primary ULT's address is NULL", address == NULL, 1);
    CODE(ABT_thread_get_attr(current_unit(), &attr), ABT_SUCCESS);
    IS("the primary ULT's in its attributes", attribute_size(attr), 0);
    MUST(ABT_thread_attr_free(&attr));
    t = tasklet(main_pool(), nothing, NULL);
    CODE(ABT_thread_get_stacksize(t, &size), ABT_SUCCESS);
    IS("a tasklet", size, 0);
    CODE(ABT_thread_get_stack(t, &address, &size), ABT_SUCCESS);
    CODE(ABT_thread_get_attr(t, &attr), ABT_ERR_INV_THREAD);
    ABT_task_free(&t);
    MUST(ABT_finalize());
}

#define ANSWER_TOLD(kind, type)                                                       \
    do {                                                                              \
        type value = (type)99;                                                        \
        CODE(ABT_info_query_config(ABT_INFO_QUERY_KIND_##kind, &value), ABT_SUCCESS); \
        tell(__func__, #kind, (long long)value);                                      \
    } while (0)
#define ANSWER_HERE(kind, type, here, there)                                          \
    do {                                                                              \
        type value = (type)99;                                                        \
        CODE(ABT_info_query_config(ABT_INFO_QUERY_KIND_##kind, &value), ABT_SUCCESS); \
        HERE(#kind, value, here, there);                                              \
    } while (0)
#define ANSWER(kind, type, expected) ANSWER_HERE(kind, type, expected, expected)

void answers(void) {
    ABT_bool before = 99;
    CODE(ABT_info_query_config(ABT_INFO_QUERY_KIND_ENABLED_DEBUG, &before), ABT_ERR_UNINITIALIZED);
    MUST(ABT_init(0, NULL));
    ANSWER(ENABLED_DEBUG, ABT_bool, 0);
    ANSWER(ENABLED_PRINT_ERRNO, ABT_bool, 0);
    ANSWER(ENABLED_LOG, ABT_bool, 0);
    ANSWER(ENABLED_VALGRIND, ABT_bool, 0);
    ANSWER(ENABLED_CHECK_ERROR, ABT_bool, 1);
    ANSWER(ENABLED_CHECK_POOL_PRODUCER, ABT_bool, 0);
    ANSWER(ENABLED_CHECK_POOL_CONSUMER, ABT_bool, 0);
    ANSWER(ENABLED_PRESERVE_FPU, ABT_bool, 1);
    ANSWER(ENABLED_THREAD_CANCEL, ABT_bool, 1);
    ANSWER(ENABLED_TASK_CANCEL, ABT_bool, 1);
    ANSWER(ENABLED_MIGRATION, ABT_bool, 1);
    ANSWER(ENABLED_STACKABLE_SCHED, ABT_bool, 1);
    ANSWER(ENABLED_EXTERNAL_THREAD, ABT_bool, 1);
    ANSWER_HERE(ENABLED_SCHED_SLEEP, ABT_bool, 1, 0);
    ANSWER(ENABLED_PRINT_CONFIG, ABT_bool, 0);
    ANSWER(ENABLED_AFFINITY, ABT_bool, 0);
    ANSWER_TOLD(DEFAULT_THREAD_STACKSIZE, size_t);
    ANSWER_TOLD(DEFAULT_SCHED_STACKSIZE, size_t);
    ANSWER_TOLD(DEFAULT_SCHED_EVENT_FREQ, uint64_t);
    ANSWER(DEFAULT_SCHED_SLEEP_NSEC, uint64_t, 100);
    ANSWER(ENABLED_TOOL, ABT_bool, 0);
    ANSWER_HERE(DYNAMIC_PROMOTION, ABT_bool, 1, 0);
    ANSWER_HERE(ENABLED_STACK_UNWIND, ABT_bool, 1, 0);
    ANSWER_TOLD(ENABLED_STACK_OVERFLOW_CHECK, int);
    ANSWER(WAIT_POLICY, int, 0);
    ANSWER_HERE(ENABLED_LAZY_STACK_ALLOC, ABT_bool, 1, 0);
    int unused = 99;
    CODE(ABT_info_query_config((ABT_info_query_kind)28, &unused), ABT_ERR_INV_QUERY_KIND);
    CODE(ABT_info_query_config((ABT_info_query_kind)-1, &unused), ABT_ERR_INV_QUERY_KIND);
    IS("after an error", unused, 99);
    MUST(ABT_finalize());
}

static void note_event(ABT_thread unit, ABT_xstream x, uint64_t event, ABT_tool_context context,
                       void* count) {
    (void)unit;
    (void)x;
    (void)event;
    (void)context;
    ++*(int*)count;
}

void tools(void) {
    int events = 0;
    CODE(ABT_tool_register_thread_callback(note_event, ABT_TOOL_EVENT_THREAD_ALL, &events),
         ABT_ERR_FEATURE_NA);
    MUST(ABT_init(0, NULL));
    CODE(ABT_tool_register_thread_callback(note_event, ABT_TOOL_EVENT_THREAD_ALL, &events),
         ABT_ERR_FEATURE_NA);
    CODE(ABT_tool_register_thread_callback(note_event, ABT_TOOL_EVENT_THREAD_NONE, &events),
         ABT_ERR_FEATURE_NA);
    CODE(ABT_tool_register_thread_callback(NULL, ABT_TOOL_EVENT_THREAD_NONE, NULL),
         ABT_ERR_FEATURE_NA);
    CODE(ABT_tool_register_thread_callback(NULL, ABT_TOOL_EVENT_THREAD_ALL, NULL),
         ABT_ERR_FEATURE_NA);
    int depth = -99;
    CODE(ABT_tool_query_thread(ABT_TOOL_CONTEXT_NULL, 0, ABT_TOOL_QUERY_KIND_STACK_DEPTH, &depth),
         ABT_ERR_FEATURE_NA);
    ABT_thread t = ult(main_pool(), nothing, NULL);
    ABT_thread_free(&t);
    IS("events", events, 0);
    IS("the depth", depth, -99);
    MUST(ABT_finalize());
}

void names_of_codes(void) {
    long long lengths = 0;
    for (int code = ABT_SUCCESS; code <= ABT_ERR_INV_POOL_USER_DEF; ++code) {
        char name[64];
        size_t length = 99;
        if (ABT_error_get_str(code, name, &length) == ABT_SUCCESS) {
            lengths =
                lengths * 31 + (long long)length + (strlen(name) == length) + name[length - 1];
            lengths %= 1000003;
        }
    }
    IS("a sum of names and lengths", lengths, 913413);
    CODE(ABT_error_get_str(58, NULL, NULL), ABT_ERR_OTHER);
    CODE(ABT_error_get_str(-1, NULL, NULL), ABT_ERR_OTHER);
}
