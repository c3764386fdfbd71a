/* SPDX-License-Identifier: BSD-3-Clause */
/* Two ULTs of one stream that give way to each other. */
#include "bench.h"

static long turns;
static ABT_thread pair[2];

static void yields(void* unused) {
    (void)unused;
    for (long i = 0; i < turns; i++) ABT_thread_yield();
}

static void yields_to_other(void* me) {
    const int other = me == &pair[0];
    for (long i = 0; i < turns; i++) ABT_thread_yield_to(pair[other]);
}

static double both(const struct site* site, long count, void (*body)(void*)) {
    turns = count;
    for (int i = 0; i < 2; i++)
        require(ABT_thread_create(site->pools[0], body, &pair[i], ABT_THREAD_ATTR_NULL, &pair[i]),
                "ABT_thread_create");
    for (int i = 0; i < 2; i++) require(ABT_thread_join(pair[i]), "ABT_thread_join");
    for (int i = 0; i < 2; i++) require(ABT_thread_free(&pair[i]), "ABT_thread_free");
    return 2.0 * (double)count;
}

static double yield(const struct site* site, long count) { return both(site, count, yields); }

static double yield_to(const struct site* site, long count) { return both(site, count, yields_to_other); }

const struct bench_case switching_cases[] = {{"yield-private", "yield", private_pool, 500000, yield},
                                             {"yield-default", "yield", default_pool, 500000, yield},
                                             {"yield-to-private", "yield_to", private_pool, 500000, yield_to},
                                             {"yield-to-default", "yield_to", default_pool, 500000, yield_to},
                                             {NULL, NULL, private_pool, 0, NULL}};
