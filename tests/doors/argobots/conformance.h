/* SPDX-License-Identifier: BSD-3-Clause */
/* What the generated checks of handles share. */
#ifndef CONFORMANCE_H_INCLUDED
#define CONFORMANCE_H_INCLUDED

#include <abt.h>
#include <abtx.h>

#include <stdint.h>
#include <stdio.h>

enum handle_kind {
    KIND_xstream,
    KIND_xstream_barrier,
    KIND_sched,
    KIND_sched_config,
    KIND_pool,
    KIND_pool_config,
    KIND_pool_user_def,
    KIND_unit,
    KIND_thread,
    KIND_task,
    KIND_thread_attr,
    KIND_key,
    KIND_mutex,
    KIND_mutex_attr,
    KIND_cond,
    KIND_rwlock,
    KIND_eventual,
    KIND_future,
    KIND_barrier,
    KIND_timer,
    KIND_tool_context,
    KIND_COUNT
};

/* Old functions are checked too. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* Live handles, for the other parameters. */
struct good_handles {
    ABT_xstream xstream;
    ABT_xstream_barrier xstream_barrier;
    ABT_sched sched;
    ABT_sched_config sched_config;
    ABT_pool pool;
    ABT_pool_config pool_config;
    ABT_pool_user_def pool_user_def;
    ABT_unit unit;
    ABT_thread thread;
    ABT_task task;
    ABT_thread_attr thread_attr;
    ABT_key key;
    ABT_mutex mutex;
    ABT_mutex_attr mutex_attr;
    ABT_cond cond;
    ABT_rwlock rwlock;
    ABT_eventual eventual;
    ABT_future future;
    ABT_barrier barrier;
    ABT_timer timer;
};

extern struct good_handles good;
extern const char* under_test;
/* For results that nobody reads. */
extern uint64_t scratch[64];
extern FILE* sink;
extern const struct timespec past;
extern void (*functions[1])(void*);

void nothing(void* argument);
/* The i-th number that is no handle of this kind; 0 when there is none left. */
int bad_handle(enum handle_kind kind, size_t i, uintptr_t* number);
void expect(int code, int returned, uintptr_t number);
void expect_unchanged(uintptr_t after, uintptr_t before);

/* The generated part. */
void check_all(void);

#endif
