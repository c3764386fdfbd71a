/* SPDX-License-Identifier: BSD-3-Clause */
/* Batches of units, created first and freed in the order of their creation. */
#include "bench.h"

enum { batch = 128 };

static long done;
static unsigned char gives_way[batch];

static void body(void* flag) {
    done++;
    if (*(unsigned char*)flag) ABT_thread_yield();
}

static double ults(const struct site* site, long count) {
    ABT_thread units[batch];
    for (long round = 0; round < count; round++) {
        for (int i = 0; i < batch; i++)
            ABT_thread_create(site->pools[0], body, &gives_way[i], ABT_THREAD_ATTR_NULL, &units[i]);
        for (int i = 0; i < batch; i++) ABT_thread_free(&units[i]);
    }
    return (double)count * batch;
}

static double ults_that_give_way(const struct site* site, long count) {
    for (int i = 0; i < batch; i++) gives_way[i] = 1;
    return ults(site, count);
}

static double tasklets(const struct site* site, long count) {
    ABT_task units[batch];
    for (long round = 0; round < count; round++) {
        for (int i = 0; i < batch; i++) ABT_task_create(site->pools[0], body, &gives_way[i], &units[i]);
        for (int i = 0; i < batch; i++) ABT_task_free(&units[i]);
    }
    return (double)count * batch;
}

const struct bench_case fork_join_cases[] = {
    {"ult-private", "create and free a ULT", private_pool, 4000, ults},
    {"ult-default", "create and free a ULT", default_pool, 4000, ults},
    {"ult-private-yields", "create and free a ULT that yields once", private_pool, 2000, ults_that_give_way},
    {"tasklet-private", "create and free a tasklet", private_pool, 8000, tasklets},
    {"tasklet-default", "create and free a tasklet", default_pool, 8000, tasklets},
    {NULL, NULL, private_pool, 0, NULL}};
