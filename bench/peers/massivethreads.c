/* SPDX-License-Identifier: BSD-3-Clause */
/* The driver of `lazult bench peers` for MassiveThreads. */
#include <myth/myth.h>

#include <stdint.h>

#include "case.h"

static void open_streams(int streams) {
    myth_globalattr_t attributes;
    myth_globalattr_init(&attributes);
    myth_globalattr_set_n_workers(&attributes, (size_t)streams);
    myth_init_ex(&attributes);
}
static void close_streams(void) { myth_fini(); }

enum { batch = 128 };
static long done, taken, turns;

static void begin(const void* first) {
    if (first && raises_inexact) bench_raise_inexact();
}

static void* counts(void* unused) {
    done++;
    return unused;
}

static void* yields_once(void* first) {
    begin(first);
    myth_yield();
    done++;
    return NULL;
}

static double batches(long rounds, void* (*body)(void*)) {
    myth_thread_t threads[batch];
    done = 0;
    for (long round = 0; round < rounds; round++) {
        for (int i = 0; i < batch; i++) threads[i] = myth_create(body, i == 0 ? &done : NULL);
        for (int i = 0; i < batch; i++) myth_join(threads[i], NULL);
    }
    bench_check(done == rounds * batch, "how many threads ran");
    return (double)done;
}

static double fork_join(long rounds) { return batches(rounds, counts); }
static double suspend_once(long rounds) { return batches(rounds, yields_once); }

static void* takes_turns(void* first) {
    begin(first);
    for (long i = 0; i < turns; i++, taken++) myth_yield();
    return NULL;
}

static myth_mutex_t mutex;
static myth_cond_t changed;
static int turn;

static void* locks(void* first) {
    begin(first);
    for (long i = 0; i < turns; i++) {
        myth_mutex_lock(&mutex);
        taken++;
        myth_yield();
        myth_mutex_unlock(&mutex);
    }
    return NULL;
}

static void* plays(void* first) {
    const int me = first == NULL;
    begin(first);
    for (long i = 0; i < turns; i++) {
        myth_mutex_lock(&mutex);
        while (turn != me) myth_cond_wait(&changed, &mutex);
        turn = 1 - me;
        taken += me;
        myth_cond_signal(&changed);
        myth_mutex_unlock(&mutex);
    }
    return NULL;
}

/* By so many threads; returns how many operations they counted. */
static double run(long times, int n, void* (*body)(void*)) {
    myth_thread_t threads[4];
    turns = times;
    taken = turn = 0;
    myth_mutex_init(&mutex, NULL);
    myth_cond_init(&changed, NULL);
    for (int i = 0; i < n; i++) threads[i] = myth_create(body, i == 0 ? &taken : NULL);
    for (int i = 0; i < n; i++) myth_join(threads[i], NULL);
    bench_check(taken == times * (body == plays ? 1 : n), "how many turns there were");
    return (double)taken;
}

static double yield(long times) { return run(times, 2, takes_turns); }
static double mutex_yield_inside(long times) { return run(times, 4, locks); }
static double condition(long times) { return run(times, 2, plays); }

static void* fib(void* n) {
    if ((intptr_t)n < 2) return n;
    void* first;
    myth_thread_t child = myth_create(fib, (void*)((intptr_t)n - 1));
    const intptr_t second = (intptr_t)fib((void*)((intptr_t)n - 2));
    myth_join(child, &first);
    return (void*)((intptr_t)first + second);
}

enum { fib_argument = 20, fib_result = 6765, fib_units = 10945 }; /* fib(n + 1) - 1 */

static double fibs(long rounds) {
    for (long round = 0; round < rounds; round++)
        bench_check((intptr_t)fib((void*)fib_argument) == fib_result, "fib(20)");
    return (double)rounds * fib_units;
}

static const struct peers_case cases[] = {
    {"fork-join", "create and join a thread", 1, 2000, fork_join},
    {"suspend-once", "create and join one of 128 threads that yields once", 1, 2000, suspend_once},
    {"yield", "yield of one of 2 threads", 1, 200000, yield},
    {"mutex-yield-inside", "lock, yield, unlock, of 4 threads", 1, 100000, mutex_yield_inside},
    {"condition", "round trip of 2 threads", 1, 100000, condition},
    {"fib", "create and join in fib(20)", 1, 20, fibs},
    {NULL, NULL, 0, 0, NULL}};

int main(int argc, char** argv) {
    return peers_main(argc, argv, cases, open_streams, close_streams);
}
