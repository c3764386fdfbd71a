/* SPDX-License-Identifier: BSD-3-Clause */
/* Two ULTs that wait for each other in turn, by condition variables and by eventuals; four at a
 * barrier. */
#include "bench.h"

#include <stdint.h>

static long rounds;
static ABT_mutex mutex;
static ABT_cond cond;
static int turn;
static ABT_eventual eventuals[2];
static ABT_barrier barrier;

static void plays_with_condition(void* number) {
    const int me = (int)(intptr_t)number;
    if (me == 0 && raises_inexact) bench_raise_inexact();
    for (long i = 0; i < rounds; i++) {
        ABT_mutex_lock(mutex);
        while (turn != me) ABT_cond_wait(cond, mutex);
        turn = 1 - me;
        ABT_cond_signal(cond);
        ABT_mutex_unlock(mutex);
    }
}

static void plays_with_eventuals(void* number) {
    const int me = (int)(intptr_t)number;
    for (long i = 0; i < rounds; i++) {
        if (me == 0) ABT_eventual_set(eventuals[0], NULL, 0);
        ABT_eventual_wait(eventuals[1 - me], NULL);
        ABT_eventual_reset(eventuals[1 - me]);
        if (me == 1) ABT_eventual_set(eventuals[1], NULL, 0);
    }
}

static void comes_to_barrier(void* unused) {
    (void)unused;
    for (long i = 0; i < rounds; i++) ABT_barrier_wait(barrier);
}

static void* const numbers[4] = {(void*)0, (void*)1, (void*)2, (void*)3};

static double condition(const struct site* site, long count) {
    rounds = count;
    turn = 0;
    require(ABT_mutex_create(&mutex), "ABT_mutex_create");
    require(ABT_cond_create(&cond), "ABT_cond_create");
    run_ults(site, 2, plays_with_condition, numbers);
    require(ABT_cond_free(&cond), "ABT_cond_free");
    require(ABT_mutex_free(&mutex), "ABT_mutex_free");
    return (double)count;
}

static double eventual(const struct site* site, long count) {
    rounds = count;
    for (int i = 0; i < 2; i++)
        require(ABT_eventual_create(0, &eventuals[i]), "ABT_eventual_create");
    run_ults(site, 2, plays_with_eventuals, numbers);
    for (int i = 0; i < 2; i++) require(ABT_eventual_free(&eventuals[i]), "ABT_eventual_free");
    return (double)count;
}

static double barrier_of_four(const struct site* site, long count) {
    rounds = count;
    require(ABT_barrier_create(4, &barrier), "ABT_barrier_create");
    run_ults(site, 4, comes_to_barrier, numbers);
    require(ABT_barrier_free(&barrier), "ABT_barrier_free");
    return (double)count;
}

const struct bench_case waiting_cases[] = {
    {"condition", "round trip of 2 ULTs", private_pool, 200000, condition},
    {"condition-two-streams", "round trip of 2 streams", two_streams, 20000, condition},
    {"eventual", "round trip of 2 ULTs", private_pool, 200000, eventual},
    {"eventual-two-streams", "round trip of 2 streams", two_streams, 20000, eventual},
    {"barrier", "passage of 4 ULTs", private_pool, 100000, barrier_of_four},
    {"barrier-two-streams", "passage of 4 ULTs on 2 streams", two_streams, 10000, barrier_of_four},
    {NULL, NULL, private_pool, 0, NULL}};
