/* SPDX-License-Identifier: BSD-3-Clause */
/* So many ULTs at once that their stacks are most of the work. */
#include "bench.h"

#include <stdlib.h>

static long started, ended;

static void blocks(void* unused) {
    (void)unused;
    if (started++ == 0 && raises_inexact) bench_raise_inexact();
    ABT_self_suspend();
    ended++;
}

static void yields_once(void* unused) {
    (void)unused;
    if (started++ == 0 && raises_inexact) bench_raise_inexact();
    ABT_thread_yield();
    ended++;
}

static ABT_thread* create(const struct site* site, long n, void (*body)(void*)) {
    ABT_thread* units = malloc((size_t)n * sizeof *units);
    require(units ? ABT_SUCCESS : ABT_ERR_MEM, "malloc");
    started = ended = 0;
    for (long i = 0; i < n; i++)
        require(ABT_thread_create(site->pools[0], body, NULL, ABT_THREAD_ATTR_NULL, &units[i]),
                "ABT_thread_create");
    return units;
}

static void join_and_free(ABT_thread* units, long n) {
    for (long i = 0; i < n; i++) require(ABT_thread_free(&units[i]), "ABT_thread_free");
    free(units);
    bench_check(started == n && ended == n, "how many units ran");
}

static double blocked(const struct site* site, long count) {
    const long n = 100000;
    for (long round = 0; round < count; round++) {
        ABT_thread* units = create(site, n, blocks);
        while (started < n) ABT_thread_yield();
        for (long i = 0; i < n; i++) require(ABT_thread_resume(units[i]), "ABT_thread_resume");
        join_and_free(units, n);
    }
    return (double)count * (double)n;
}

static double each_yields(const struct site* site, long n, long count) {
    for (long round = 0; round < count; round++) join_and_free(create(site, n, yields_once), n);
    return (double)count * (double)n;
}

static double thousand(const struct site* site, long count) {
    return each_yields(site, 1L << 10, count);
}
static double sixteen(const struct site* site, long count) {
    return each_yields(site, 1L << 14, count);
}
static double quarter(const struct site* site, long count) {
    return each_yields(site, 1L << 18, count);
}

const struct bench_case many_cases[] = {
    {"blocked-100000", "create, block, resume and free one of 100,000 ULTs", private_pool, 1,
     blocked},
    {"yields-once-1024", "create and free one of 2^10 ULTs that yields once", private_pool, 100,
     thousand},
    {"yields-once-16384", "create and free one of 2^14 ULTs that yields once", private_pool, 6,
     sixteen},
    {"yields-once-262144", "create and free one of 2^18 ULTs that yields once", private_pool, 1,
     quarter},
    {NULL, NULL, private_pool, 0, NULL}};
