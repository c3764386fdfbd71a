/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs the generated checks: objects of each kind to be mistaken for others, freed ones, and the
 * count of failures. */
#include "conformance.h"
#include "empty_pool.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct good_handles good;
const char* under_test = "nothing";
uint64_t scratch[64];
FILE* sink;
const struct timespec past = {1, 0};
void (*functions[1])(void*) = {nothing};

void nothing(void* argument) { (void)argument; }

static uintptr_t alive[KIND_COUNT];
static uintptr_t freed[KIND_COUNT];
static unsigned long checks;
static unsigned long failures;

static void must(int code, const char* what) {
    if (code != ABT_SUCCESS) {
        fprintf(stderr, "cannot prepare: %s gives %d\n", what, code);
        exit(1);
    }
}
#define MUST(call) must(call, #call)

void expect(int code, int returned, uintptr_t number) {
    ++checks;
    if (code != returned) {
        ++failures;
        fprintf(stderr, "%s = %#lx: returned %d, documented is %d\n", under_test,
                (unsigned long)number, returned, code);
    }
}

void expect_unchanged(uintptr_t after, uintptr_t before) {
    ++checks;
    if (after != before) {
        ++failures;
        fprintf(stderr, "%s = %#lx: the handle became %#lx\n", under_test, (unsigned long)before,
                (unsigned long)after);
    }
}

/* Both families of null constants are among the first of these. */
#define SMALL_NUMBERS 0x18

static uintptr_t candidate(enum handle_kind kind, size_t i) {
    static const uintptr_t larger[] = {0x20, 0x40, 0xff8, 0xfff};
    const size_t count = sizeof larger / sizeof larger[0];
    if (i < SMALL_NUMBERS) {
        return i;
    }
    if (i < SMALL_NUMBERS + count) {
        return larger[i - SMALL_NUMBERS];
    }
    if (i == SMALL_NUMBERS + count) {
        return freed[kind];
    }
    i -= SMALL_NUMBERS + count + 1;
    const int is_unit_of_work = kind == KIND_thread || kind == KIND_task;
    if (i == (size_t)kind || (is_unit_of_work && (i == KIND_thread || i == KIND_task))) {
        return 0;
    }
    return alive[i];
}

int bad_handle(enum handle_kind kind, size_t i, uintptr_t* number) {
    if (i >= SMALL_NUMBERS + 4 + 1 + KIND_COUNT) {
        return 0;
    }
    *number = candidate(kind, i);
    return 1;
}

static ABT_thread pop(ABT_pool pool, ABT_pool_context context) {
    (void)pool;
    (void)context;
    return ABT_THREAD_NULL;
}

static void make_streams_and_pools(struct good_handles* h) {
    MUST(ABT_xstream_create(ABT_SCHED_NULL, &h->xstream));
    MUST(ABT_xstream_barrier_create(1, &h->xstream_barrier));
    MUST(ABT_sched_create_basic(ABT_SCHED_BASIC, 0, NULL, ABT_SCHED_CONFIG_NULL, &h->sched));
    MUST(ABT_sched_config_create(&h->sched_config, ABT_sched_config_var_end));
    MUST(ABT_pool_create_basic(ABT_POOL_FIFO, ABT_POOL_ACCESS_MPMC, ABT_FALSE, &h->pool));
    MUST(ABT_pool_config_create(&h->pool_config));
    MUST(define_empty_pool(pop, &h->pool_user_def));
}

static void make_units(struct good_handles* h) {
    ABT_pool pool;
    MUST(ABT_self_get_last_pool(&pool));
    MUST(ABT_thread_create(pool, nothing, NULL, ABT_THREAD_ATTR_NULL, &h->thread));
    MUST(ABT_task_create(pool, nothing, NULL, &h->task));
    MUST(ABT_thread_get_unit(h->thread, &h->unit));
    MUST(ABT_thread_join(h->thread));
    MUST(ABT_task_join(h->task));
    MUST(ABT_thread_attr_create(&h->thread_attr));
    MUST(ABT_key_create(NULL, &h->key));
}

static void make_what_is_waited_for(struct good_handles* h) {
    MUST(ABT_mutex_create(&h->mutex));
    MUST(ABT_mutex_attr_create(&h->mutex_attr));
    MUST(ABT_cond_create(&h->cond));
    MUST(ABT_rwlock_create(&h->rwlock));
    MUST(ABT_eventual_create(8, &h->eventual));
    MUST(ABT_future_create(1, NULL, &h->future));
    MUST(ABT_barrier_create(1, &h->barrier));
    MUST(ABT_timer_create(&h->timer));
}

static void make_all(struct good_handles* h) {
    make_streams_and_pools(h);
    make_units(h);
    make_what_is_waited_for(h);
}

static void list(const struct good_handles* h, uintptr_t* numbers) {
    numbers[KIND_xstream] = (uintptr_t)h->xstream;
    numbers[KIND_xstream_barrier] = (uintptr_t)h->xstream_barrier;
    numbers[KIND_sched] = (uintptr_t)h->sched;
    numbers[KIND_sched_config] = (uintptr_t)h->sched_config;
    numbers[KIND_pool] = (uintptr_t)h->pool;
    numbers[KIND_pool_config] = (uintptr_t)h->pool_config;
    numbers[KIND_pool_user_def] = (uintptr_t)h->pool_user_def;
    numbers[KIND_unit] = (uintptr_t)h->unit;
    numbers[KIND_thread] = (uintptr_t)h->thread;
    numbers[KIND_task] = (uintptr_t)h->task;
    numbers[KIND_thread_attr] = (uintptr_t)h->thread_attr;
    numbers[KIND_key] = (uintptr_t)h->key;
    numbers[KIND_mutex] = (uintptr_t)h->mutex;
    numbers[KIND_mutex_attr] = (uintptr_t)h->mutex_attr;
    numbers[KIND_cond] = (uintptr_t)h->cond;
    numbers[KIND_rwlock] = (uintptr_t)h->rwlock;
    numbers[KIND_eventual] = (uintptr_t)h->eventual;
    numbers[KIND_future] = (uintptr_t)h->future;
    numbers[KIND_barrier] = (uintptr_t)h->barrier;
    numbers[KIND_timer] = (uintptr_t)h->timer;
}

static void free_all(struct good_handles* h) {
    MUST(ABT_timer_free(&h->timer));
    MUST(ABT_barrier_free(&h->barrier));
    MUST(ABT_future_free(&h->future));
    MUST(ABT_eventual_free(&h->eventual));
    MUST(ABT_rwlock_free(&h->rwlock));
    MUST(ABT_cond_free(&h->cond));
    MUST(ABT_mutex_attr_free(&h->mutex_attr));
    MUST(ABT_mutex_free(&h->mutex));
    MUST(ABT_key_free(&h->key));
    MUST(ABT_thread_attr_free(&h->thread_attr));
    MUST(ABT_task_free(&h->task));
    MUST(ABT_thread_free(&h->thread));
    MUST(ABT_pool_user_def_free(&h->pool_user_def));
    MUST(ABT_pool_config_free(&h->pool_config));
    MUST(ABT_pool_free(&h->pool));
    MUST(ABT_sched_config_free(&h->sched_config));
    MUST(ABT_sched_free(&h->sched));
    MUST(ABT_xstream_barrier_free(&h->xstream_barrier));
    MUST(ABT_xstream_free(&h->xstream));
}

static void name_the_crash(int signal_number) {
    static const char text[] = "crashed in ";
    if (write(2, text, sizeof text - 1) > 0 && write(2, under_test, strlen(under_test)) > 0 &&
        write(2, "\n", 1) > 0) {
        signal(signal_number, SIG_DFL);
    }
    _exit(1);
}

int main(void) {
    struct good_handles gone;
    signal(SIGSEGV, name_the_crash);
    setenv("LAZULT_ABT_TOOLS", "on", 1);
    sink = fopen("/dev/null", "w");
    MUST(ABT_init(0, NULL));
    signal(SIGSEGV, name_the_crash);
    make_all(&good);
    list(&good, alive);
    make_all(&gone);
    list(&gone, freed);
    free_all(&gone);
    check_all();
    free_all(&good);
    MUST(ABT_finalize());
    fclose(sink);
    printf("%lu checks, %lu failures\n", checks, failures);
    return failures != 0;
}
