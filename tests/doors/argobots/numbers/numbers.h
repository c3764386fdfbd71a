/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of the program share. Each part compares some numbers. */
#ifndef NUMBERS_H_INCLUDED
#define NUMBERS_H_INCLUDED

#include <abt.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Argobots gave `there`, and Lazult gives `here`. Where they differ, docs/argobots.md says why. */
void compare(const char* part, const char* what, long long value, long long here, long long there);
/* Prints only: a default, which may change. */
void tell(const char* part, const char* what, long long value);

#define IS(what, value, expected) compare(__func__, what, (long long)(value), expected, expected)
#define CODE(call, expected) compare(__func__, #call, call, expected, expected)
#define MUST(call) CODE(call, ABT_SUCCESS)
/* Where Lazult differs. */
#define HERE(what, value, here, there) compare(__func__, what, (long long)(value), here, here)
#define CODE_HERE(call, here, there) compare(__func__, #call, call, here, here)
/* Where Lazult does not always differ. */
#define EITHER(what, value, here, there) compare(__func__, what, (long long)(value), here, there)

void ids_of_units(void);
void ids_begin_anew(void);
void schedulers(void);
void scheduler_of_the_program(void);
void stacked_scheduler(void);
void streams(void);
void affinity(void);
void sizes_of_pools(void);
void sizes_while_units_wait(void);
void pools(void);
void stacks(void);
void answers(void);
void tools(void);
void names_of_codes(void);
void synchronization(void);
void misuse_of_units(void);
void keys(void);
void configurations(void);
void timers(void);

static inline void nothing(void* unused) { (void)unused; }

static inline ABT_xstream self(void) {
    ABT_xstream x = ABT_XSTREAM_NULL;
    ABT_xstream_self(&x);
    return x;
}

static inline ABT_pool main_pool(void) {
    ABT_pool p = ABT_POOL_NULL;
    ABT_xstream_get_main_pools(self(), 1, &p);
    return p;
}

static inline ABT_thread current_unit(void) {
    ABT_thread t = ABT_THREAD_NULL;
    ABT_self_get_thread(&t);
    return t;
}

static inline ABT_pool new_pool(void) {
    ABT_pool p = ABT_POOL_NULL;
    ABT_pool_create_basic(ABT_POOL_FIFO, ABT_POOL_ACCESS_MPMC, ABT_FALSE, &p);
    return p;
}

static inline ABT_thread ult(ABT_pool where, void (*body)(void*), void* argument) {
    ABT_thread t = ABT_THREAD_NULL;
    ABT_thread_create(where, body, argument, ABT_THREAD_ATTR_NULL, &t);
    return t;
}

static inline ABT_task tasklet(ABT_pool where, void (*body)(void*), void* argument) {
    ABT_task t = ABT_TASK_NULL;
    ABT_task_create(where, body, argument, &t);
    return t;
}

static inline void on_os_thread(void* (*body)(void*)) {
    pthread_t t;
    pthread_create(&t, NULL, body, NULL);
    pthread_join(t, NULL);
}

static inline long long id_of(ABT_thread t) {
    ABT_unit_id id = 99;
    ABT_thread_get_id(t, &id);
    return (long long)id;
}
static inline long long own_id(void) {
    ABT_unit_id id = 99;
    ABT_self_get_thread_id(&id);
    return (long long)id;
}
static inline int rank_of(ABT_xstream x) {
    int rank = -99;
    ABT_xstream_get_rank(x, &rank);
    return rank;
}
static inline int pool_id(ABT_pool p) {
    int id = -99;
    ABT_pool_get_id(p, &id);
    return id;
}
static inline int xstreams(void) {
    int count = -99;
    ABT_xstream_get_num(&count);
    return count;
}
static inline int xstream_state(ABT_xstream x) {
    ABT_xstream_state state = (ABT_xstream_state)99;
    ABT_xstream_get_state(x, &state);
    return (int)state;
}
static inline int state_of(ABT_thread t) {
    ABT_thread_state state = (ABT_thread_state)99;
    ABT_thread_get_state(t, &state);
    return (int)state;
}
static inline int task_state_of(ABT_task t) {
    ABT_task_state state = (ABT_task_state)99;
    ABT_task_get_state(t, &state);
    return (int)state;
}
static inline long long size_of(ABT_pool p) {
    size_t size = 99;
    ABT_pool_get_size(p, &size);
    return (long long)size;
}
static inline long long total_size_of(ABT_pool p) {
    size_t size = 99;
    ABT_pool_get_total_size(p, &size);
    return (long long)size;
}
static inline int is_empty(ABT_pool p) {
    ABT_bool empty = 99;
    ABT_pool_is_empty(p, &empty);
    return empty;
}
/* Both sizes as one number. */
static inline long long sizes_of(ABT_pool p) { return 10 * size_of(p) + total_size_of(p); }
/* The same of all its pools. */
static inline long long sched_sizes(ABT_sched s) {
    size_t size = 99;
    size_t total = 99;
    ABT_sched_get_size(s, &size);
    ABT_sched_get_total_size(s, &total);
    return (long long)(10 * size + total);
}
static inline int access_of(ABT_pool p) {
    ABT_pool_access access = (ABT_pool_access)99;
    ABT_pool_get_access(p, &access);
    return (int)access;
}
static inline long long stack_size_of(ABT_thread t) {
    size_t size = 99;
    ABT_thread_get_stacksize(t, &size);
    return (long long)size;
}

/* The id that the last unit that ran ask_own_id() got. */
extern long long seen;
static inline void ask_own_id(void* unused) {
    (void)unused;
    seen = own_id();
}

/* What units wait for. */
struct waits {
    ABT_mutex mutex;
    ABT_cond cond;
    ABT_eventual eventual;
    ABT_future future;
    ABT_barrier barrier;
    ABT_rwlock rwlock;
};

#endif
