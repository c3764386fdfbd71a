/* SPDX-License-Identifier: BSD-3-Clause */
/* Mutexes and rwlocks: by one ULT, by four ULTs of one stream that give way while they hold the
 * lock, and by two streams with ULTs that hold it for a moment. */
#include "bench.h"

static ABT_mutex mutex;
static ABT_rwlock rwlock;
static long rounds;
static volatile long guarded;

static int flag_is_wanted; /* the first ULT that comes raises it */

static void begin(void) {
    if (__atomic_exchange_n(&flag_is_wanted, 0, __ATOMIC_RELAXED)) bench_raise_inexact();
}

static void locks(void* gives_way) {
    begin();
    for (long i = 0; i < rounds; i++) {
        ABT_mutex_lock(mutex);
        guarded = guarded + 1;
        if (gives_way) ABT_thread_yield();
        ABT_mutex_unlock(mutex);
    }
}

static void reads(void* unused) {
    (void)unused;
    for (long i = 0; i < rounds; i++) {
        ABT_rwlock_rdlock(rwlock);
        (void)guarded;
        ABT_rwlock_unlock(rwlock);
    }
}

static void writes(void* gives_way) {
    for (long i = 0; i < rounds; i++) {
        ABT_rwlock_wrlock(rwlock);
        guarded = guarded + 1;
        if (gives_way) ABT_thread_yield();
        ABT_rwlock_unlock(rwlock);
    }
}

static double run(const struct site* site, long count, int n, void (*body)(void*), void* argument) {
    void* arguments[4] = {argument, argument, argument, argument};
    rounds = count;
    guarded = 0;
    flag_is_wanted = raises_inexact;
    require(ABT_mutex_create(&mutex), "ABT_mutex_create");
    require(ABT_rwlock_create(&rwlock), "ABT_rwlock_create");
    run_ults(site, n, body, arguments);
    require(ABT_rwlock_free(&rwlock), "ABT_rwlock_free");
    require(ABT_mutex_free(&mutex), "ABT_mutex_free");
    bench_check(guarded == (body == reads ? 0 : count * n), "what the lock guards");
    return (double)count * n;
}

static double mutex_alone(const struct site* site, long count) {
    return run(site, count, 1, locks, NULL);
}
static double mutex_given_way(const struct site* site, long count) {
    return run(site, count, 4, locks, &mutex);
}
static double mutex_streams(const struct site* site, long count) {
    return run(site, count, 2, locks, NULL);
}
static double readers(const struct site* site, long count) {
    return run(site, count, 1, reads, NULL);
}
static double writer(const struct site* site, long count) {
    return run(site, count, 1, writes, NULL);
}
static double writers_given_way(const struct site* site, long count) {
    return run(site, count, 4, writes, &rwlock);
}
static double readers_streams(const struct site* site, long count) {
    return run(site, count, 2, reads, NULL);
}

const struct bench_case locking_cases[] = {
    {"mutex-alone", "lock and unlock", private_pool, 1000000, mutex_alone},
    {"mutex-yield-inside", "lock, yield, unlock, of 4 ULTs", private_pool, 100000, mutex_given_way},
    {"mutex-two-streams", "lock and unlock, of 2 streams", two_streams, 300000, mutex_streams},
    {"rwlock-read-alone", "read lock and unlock", private_pool, 1000000, readers},
    {"rwlock-write-alone", "write lock and unlock", private_pool, 1000000, writer},
    {"rwlock-write-yield-inside", "write lock, yield, unlock, of 4 ULTs", private_pool, 100000,
     writers_given_way},
    {"rwlock-read-two-streams", "read lock and unlock, of 2 streams", two_streams, 300000,
     readers_streams},
    {NULL, NULL, private_pool, 0, NULL}};
