/* SPDX-License-Identifier: BSD-3-Clause */
/* Two ULTs of one stream that give way to each other. */
#include "bench.h"

static long turns;
static ABT_thread pair[2];
static long taken; /* by both */

static void begin(const void* me) {
    if (me == &pair[0] && raises_inexact) bench_raise_inexact();
}

/* Where control alternates, neither is more than one turn behind when the other one ends. */
static void end(void) { bench_check(taken >= 2 * turns - 1, "the ULTs do not alternate"); }

static void yields(void* me) {
    begin(me);
    for (long i = 0; i < turns; i++, taken++) ABT_thread_yield();
    end();
}

static void yields_to_other(void* me) {
    const int other = me == &pair[0];
    begin(me);
    for (long i = 0; i < turns; i++, taken++) ABT_thread_yield_to(pair[other]);
    end();
}

/* The one that suspended last would wait for ever: the other one resumes it in the end. */
static void resumes_other(void* me) {
    const int other = me == &pair[0];
    begin(me);
    if (!other) ABT_self_suspend();
    for (long i = 0; i < turns; i++, taken++) ABT_self_resume_suspend_to(pair[other]);
    end();
    if (other) ABT_thread_resume(pair[1]);
}

/* The second one waits when the first one starts. */
static double resume_suspend_to(const struct site* site, long count) {
    turns = count;
    taken = 0;
    for (int i = 1; i >= 0; i--)
        require(ABT_thread_create(site->pools[0], resumes_other, &pair[i], ABT_THREAD_ATTR_NULL,
                                  &pair[i]),
                "ABT_thread_create");
    for (int i = 0; i < 2; i++) require(ABT_thread_free(&pair[i]), "ABT_thread_free");
    bench_check(taken == 2 * count, "how many turns there were");
    return 2.0 * (double)count;
}

static double both(const struct site* site, long count, void (*body)(void*)) {
    turns = count;
    taken = 0;
    for (int i = 0; i < 2; i++)
        require(ABT_thread_create(site->pools[0], body, &pair[i], ABT_THREAD_ATTR_NULL, &pair[i]),
                "ABT_thread_create");
    for (int i = 0; i < 2; i++) require(ABT_thread_join(pair[i]), "ABT_thread_join");
    for (int i = 0; i < 2; i++) require(ABT_thread_free(&pair[i]), "ABT_thread_free");
    bench_check(taken == 2 * count, "how many turns there were");
    return 2.0 * (double)count;
}

static double yield(const struct site* site, long count) { return both(site, count, yields); }

static void yields_alone(void* unused) {
    (void)unused;
    for (long i = 0; i < turns; i++) ABT_thread_yield();
}

static double yield_of_eight(const struct site* site, long count) {
    void* const none[8] = {NULL};
    turns = count;
    run_ults(site, 8, yields_alone, none);
    return 8.0 * (double)count;
}

static double yield_to(const struct site* site, long count) {
    return both(site, count, yields_to_other);
}

const struct bench_case switching_cases[] = {
    {"yield-private", "yield", private_pool, 500000, yield},
    {"yield-default", "yield", default_pool, 500000, yield},
    {"yield-to-private", "yield_to", private_pool, 500000, yield_to},
    {"yield-to-default", "yield_to", default_pool, 500000, yield_to},
    {"resume-suspend-to", "ABT_self_resume_suspend_to", private_pool, 500000, resume_suspend_to},
    {"yield-shared-two-streams", "yield, of 8 ULTs of a pool that 2 streams serve", shared_pool,
     20000, yield_of_eight},
    {NULL, NULL, private_pool, 0, NULL}};
