/* SPDX-License-Identifier: BSD-3-Clause */
/* Batches of units, created first and freed in the order of their creation, by one stream or by
 * each of two for itself. */
#include "bench.h"

enum { batch = 128 };

/* One for each stream, on cache lines of their own. */
struct forker {
    ABT_pool pool;
    long count;
    long done;
    char gap[128];
};
static struct forker forkers[2];

static void body(void* done) { ++*(long*)done; }

/* Where either stream may run it. */
static void shared_body(void* done) { __atomic_fetch_add((long*)done, 1, __ATOMIC_RELAXED); }

static void gives_way(void* done) {
    if (++*(long*)done % batch == 1 && raises_inexact) bench_raise_inexact();
    ABT_thread_yield();
}

static void fork_ults_of(struct forker* me, void (*function)(void*)) {
    ABT_thread units[batch];
    for (long round = 0; round < me->count; round++) {
        for (int i = 0; i < batch; i++)
            ABT_thread_create(me->pool, function, &me->done, ABT_THREAD_ATTR_NULL, &units[i]);
        for (int i = 0; i < batch; i++) ABT_thread_free(&units[i]);
    }
}

static void fork_ults(void* me) { fork_ults_of(me, body); }
static void fork_shared_ults(void* me) { fork_ults_of(me, shared_body); }
static void fork_ults_that_give_way(void* me) { fork_ults_of(me, gives_way); }

static void fork_tasklets(void* argument) {
    struct forker* me = argument;
    ABT_task units[batch];
    for (long round = 0; round < me->count; round++) {
        for (int i = 0; i < batch; i++) ABT_task_create(me->pool, body, &me->done, &units[i]);
        for (int i = 0; i < batch; i++) ABT_task_free(&units[i]);
    }
}

static void fork_by_many(void* argument) {
    struct forker* me = argument;
    ABT_pool pools[batch];
    void (*functions[batch])(void*);
    void* arguments[batch];
    ABT_thread units[batch];
    for (int i = 0; i < batch; i++) {
        pools[i] = me->pool;
        functions[i] = body;
        arguments[i] = &me->done;
    }
    for (long round = 0; round < me->count; round++) {
        ABT_thread_create_many(batch, pools, functions, arguments, ABT_THREAD_ATTR_NULL, units);
        ABT_thread_join_many(batch, units);
        ABT_thread_free_many(batch, units);
    }
}

/* The operations are those of one stream: two take no longer for them than one, if neither disturbs
 * the other. */
static double run(const struct site* site, long count, void (*forks)(void*)) {
    ABT_thread second;
    for (int i = 0; i < site->stream_count; i++) {
        forkers[i].pool = site->pools[i];
        forkers[i].count = count;
        forkers[i].done = 0;
    }
    if (site->stream_count == 2)
        require(ABT_thread_create(site->entrances[1], forks, &forkers[1], ABT_THREAD_ATTR_NULL,
                                  &second),
                "ABT_thread_create");
    forks(&forkers[0]);
    if (site->stream_count == 2) require(ABT_thread_free(&second), "ABT_thread_free");
    for (int i = 0; i < site->stream_count; i++)
        bench_check(forkers[i].done == count * batch, "how many units ran");
    return (double)count * batch;
}

static double ults(const struct site* site, long count) { return run(site, count, fork_ults); }
static double shared_ults(const struct site* site, long count) {
    return run(site, count, fork_shared_ults);
}
static double ults_that_give_way(const struct site* site, long count) {
    return run(site, count, fork_ults_that_give_way);
}
static double ults_by_many(const struct site* site, long count) {
    return run(site, count, fork_by_many);
}
static double tasklets(const struct site* site, long count) {
    return run(site, count, fork_tasklets);
}

const struct bench_case fork_join_cases[] = {
    {"ult-private", "create and free a ULT", private_pool, 4000, ults},
    {"ult-default", "create and free a ULT", default_pool, 4000, ults},
    {"ult-one-randws", "create and free a ULT, 1 stream of ABT_SCHED_RANDWS", lone_stealing, 4000,
     ults},
    {"ult-private-many", "create_many, join_many and free_many, for each ULT", private_pool, 4000,
     ults_by_many},
    {"ult-private-two-streams", "create and free a ULT, time of one of 2 streams", private_pools,
     4000, ults},
    {"ult-private-yields", "create and free a ULT that yields once", private_pool, 2000,
     ults_that_give_way},
    {"tasklet-private", "create and free a tasklet", private_pool, 8000, tasklets},
    {"tasklet-default", "create and free a tasklet", default_pool, 8000, tasklets},
    {"tasklet-private-two-streams", "create and free a tasklet, time of one of 2 streams",
     private_pools, 8000, tasklets},
    {"ult-shared-two-streams", "create and free a ULT, time of one of 2 streams of a pool",
     shared_pool, 400, shared_ults},
    {NULL, NULL, private_pool, 0, NULL}};
