/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that was compiled where all null constants are NULL gets NULL back, and not the
 * numbered ones; until it shows that it knows those; or what a setting says. Each case in a
 * process of its own, because the library learns once. */
#define _POSIX_C_SOURCE 200809L
#include "empty_pool.h"

#include <abt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int bad;
static const char* current;

static void expect(int condition, const char* what) {
    if (!condition) {
        fprintf(stderr, "null_family: %s: not so: %s\n", current, what);
        bad = 1;
    }
}

static void nothing(void* unused) { (void)unused; }

static ABT_xstream self(void) {
    ABT_xstream x = NULL;
    expect(ABT_xstream_self(&x) == ABT_SUCCESS, "there is a stream");
    return x;
}

static ABT_pool main_pool(void) {
    ABT_pool pool = NULL;
    expect(ABT_xstream_get_main_pools(self(), 1, &pool) == ABT_SUCCESS, "it has a pool");
    return pool;
}

static ABT_thread freed(ABT_pool pool, ABT_thread_attr attr) {
    ABT_thread thread;
    expect(ABT_thread_create(pool, nothing, NULL, attr, &thread) == ABT_SUCCESS,
           "a ULT is created");
    expect(ABT_thread_free(&thread) == ABT_SUCCESS, "and freed");
    return thread;
}

static ABT_unit popped(ABT_pool pool) {
    ABT_unit unit = (ABT_unit)&bad;
    expect(ABT_pool_pop(pool, &unit) == ABT_SUCCESS, "one can pop");
    return unit;
}

static ABT_thread popped_thread(ABT_pool pool) {
    ABT_thread thread = (ABT_thread)&bad;
    expect(ABT_pool_pop_thread(pool, &thread) == ABT_SUCCESS, "one can pop a thread");
    return thread;
}

static void free_sched(ABT_sched sched, ABT_sched null) {
    expect(ABT_sched_free(&sched) == ABT_SUCCESS, "the scheduler is freed");
    expect(sched == null, "a freed scheduler's handle");
}

/* --- constants that are given */

static void attributes(void) {
    const ABT_pool pool = main_pool();
    expect(popped(pool) == ABT_UNIT_NULL, "numbered as long as nothing is known");
    expect(freed(pool, NULL) == NULL, "NULL for a program that gave NULL");
    expect(popped(pool) == NULL, "an empty pool has NULL");
    expect(popped_thread(pool) == NULL, "also for threads");
    expect(freed(pool, ABT_THREAD_ATTR_NULL) == ABT_THREAD_NULL,
           "numbered for a program that knows them");
    expect(freed(pool, NULL) == ABT_THREAD_NULL, "for good");
    expect(popped(pool) == ABT_UNIT_NULL, "everywhere");
}

static void pools_for_a_scheduler(void) {
    ABT_pool pools[2] = {NULL, NULL};
    ABT_sched_config config;
    ABT_sched sched;
    expect(ABT_sched_config_create(&config, ABT_sched_config_var_end) == ABT_SUCCESS,
           "a configuration is made");
    expect(ABT_sched_create_basic(ABT_SCHED_BASIC, 2, pools, config, &sched) == ABT_SUCCESS,
           "a scheduler is made");
    expect(ABT_sched_config_free(&config) == ABT_SUCCESS && config == NULL,
           "NULL after pools that were NULL");
    free_sched(sched, NULL);
    pools[1] = ABT_POOL_NULL;
    expect(ABT_sched_create_basic(ABT_SCHED_BASIC, 2, pools, NULL, &sched) == ABT_SUCCESS,
           "another is made");
    free_sched(sched, ABT_SCHED_NULL);
}

static void configuration_of_a_stream(void) {
    ABT_xstream stream;
    expect(ABT_xstream_create_basic(ABT_SCHED_BASIC, 1, NULL, NULL, &stream) == ABT_SUCCESS,
           "a stream is made");
    expect(ABT_xstream_free(&stream) == ABT_SUCCESS && stream == NULL,
           "NULL after a configuration that was NULL");
}

static void main_scheduler(void) {
    expect(ABT_xstream_set_main_sched(self(), NULL) == ABT_SUCCESS,
           "the main scheduler is replaced");
    expect(popped(main_pool()) == NULL, "NULL after a scheduler that was NULL");
}

/* --- pools of the program's, which have nothing */

static ABT_pool inner;

static ABT_thread pop_null(ABT_pool pool, ABT_pool_context context) {
    (void)pool;
    (void)context;
    return NULL;
}
static ABT_thread pop_null_waiting(ABT_pool pool, double seconds, ABT_pool_context context) {
    (void)seconds;
    return pop_null(pool, context);
}
static ABT_thread pop_inner(ABT_pool pool, ABT_pool_context context) {
    (void)pool;
    (void)context;
    return popped_thread(inner);
}

static ABT_pool make_pool(ABT_pool_user_pop_fn pop) {
    ABT_pool_user_def definition;
    ABT_pool pool = NULL;
    ABT_pool_config config;
    expect(define_empty_pool(pop, &definition) == ABT_SUCCESS &&
               ABT_pool_user_def_set_pop_wait(definition, pop_null_waiting) == ABT_SUCCESS,
           "a pool is defined");
    /* one of its own, so that the library learns nothing here */
    expect(ABT_pool_config_create(&config) == ABT_SUCCESS, "a configuration is made");
    expect(ABT_pool_create(definition, config, &pool) == ABT_SUCCESS, "and the pool made");
    expect(ABT_pool_config_free(&config) == ABT_SUCCESS, "the configuration is freed");
    expect(ABT_pool_user_def_free(&definition) == ABT_SUCCESS, "and the definition");
    return pool;
}

static void free_pool(ABT_pool pool, ABT_pool null) {
    expect(ABT_pool_free(&pool) == ABT_SUCCESS && pool == null, "a freed pool's handle");
}

static void users_pool(void) {
    const ABT_pool pool = make_pool(pop_null);
    expect(popped(pool) == NULL, "NULL after a pool that popped NULL");
    free_pool(pool, NULL);
}

static void users_pool_that_waits(void) {
    const ABT_pool pool = make_pool(pop_null);
    ABT_unit unit = (ABT_unit)&bad;
    expect(ABT_pool_pop_wait(pool, &unit, 0) == ABT_SUCCESS && unit == NULL,
           "NULL after a pool that popped NULL");
    free_pool(pool, NULL);
}

/* What comes through the program's hands is not what it was compiled with. */
static void users_pool_around_another(void) {
    inner = main_pool();
    const ABT_pool outer = make_pool(pop_inner);
    expect(popped(outer) == ABT_UNIT_NULL, "nothing is known yet");
    expect(freed(inner, NULL) == NULL, "NULL for a program that gave NULL");
    free_pool(outer, NULL);
}

static ABT_unit unit_of_thread(ABT_thread thread) { return (ABT_unit)thread; }
static void free_old_unit(ABT_unit* unit) { (void)unit; }
static int init_old(ABT_pool pool, ABT_pool_config config) {
    (void)pool;
    (void)config;
    return ABT_SUCCESS;
}
static size_t size_of_old(ABT_pool pool) {
    (void)pool;
    return 0;
}
static void push_old(ABT_pool pool, ABT_unit unit) { push(pool, unit, 0); }
static ABT_unit pop_old(ABT_pool pool) {
    (void)pool;
    return NULL;
}

static void users_old_pool(void) {
    ABT_pool_def definition;
    ABT_pool pool = NULL;
    ABT_pool_config config;
    memset(&definition, 0, sizeof definition);
    definition.access = ABT_POOL_ACCESS_MPMC;
    definition.u_create_from_thread = unit_of_thread;
    definition.u_free = free_old_unit;
    definition.p_init = init_old;
    definition.p_get_size = size_of_old;
    definition.p_push = push_old;
    definition.p_pop = pop_old;
    expect(ABT_pool_config_create(&config) == ABT_SUCCESS, "a configuration is made");
    expect(ABT_pool_create(&definition, config, &pool) == ABT_SUCCESS, "and the pool");
    expect(popped(pool) == NULL, "NULL after a pool that popped NULL");
    expect(ABT_pool_config_free(&config) == ABT_SUCCESS && config == NULL, "everywhere");
    free_pool(pool, NULL);
}

/* --- a setting says which */

static void told_zero(void) {
    const ABT_pool pool = main_pool();
    expect(popped(pool) == NULL, "NULL before any null was given");
    expect(popped_thread(pool) == NULL, "also for threads");
    expect(freed(pool, ABT_THREAD_ATTR_NULL) == NULL, "NULL although a numbered one was given");
    expect(popped(pool) == NULL, "for good");
}

static void told_numbered(void) {
    const ABT_pool pool = main_pool();
    expect(freed(pool, NULL) == ABT_THREAD_NULL, "numbered although a NULL was given");
    expect(popped(pool) == ABT_UNIT_NULL, "for good");
}

/* --- cases */

#define CASE(name) {#name, name, "auto"}
static const struct {
    const char* name;
    void (*run)(void);
    const char* setting;
} cases[] = {
    {"told_zero", told_zero, "zero"},
    {"told_numbered", told_numbered, "numbered"},
    CASE(attributes),
    CASE(pools_for_a_scheduler),
    CASE(configuration_of_a_stream),
    CASE(main_scheduler),
    CASE(users_pool),
    CASE(users_pool_that_waits),
    CASE(users_pool_around_another),
    CASE(users_old_pool),
};

static int child(void (*run)(void), const char* setting) {
    setenv("LAZULT_ABT_NULL", setting, 1);
    if (ABT_init(0, NULL) != ABT_SUCCESS) {
        return 1;
    }
    run();
    return ABT_finalize() == ABT_SUCCESS ? bad : 1;
}

/* With an argument: this program again, with the setting in its environment. */
static int before_init(void) {
    ABT_xstream x = (ABT_xstream)&bad;
    current = "before ABT_init";
    expect(ABT_xstream_self(&x) == ABT_ERR_UNINITIALIZED && x == NULL, "NULL before ABT_init");
    return bad;
}

static int again(char* program) {
    setenv("LAZULT_ABT_NULL", "zero", 1);
    execl(program, program, "again", (char*)NULL);
    return 1;
}

int main(int argc, char** argv) {
    if (argc > 1) {
        return before_init();
    }
    int failed = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        current = cases[i].name;
        int status = 1;
        const pid_t pid = fork();
        if (pid == 0) {
            return child(cases[i].run, cases[i].setting);
        }
        if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0) {
            fprintf(stderr, "null_family: %s failed\n", current);
            failed = 1;
        }
    }
    return failed != 0 ? failed : again(argv[0]);
}
