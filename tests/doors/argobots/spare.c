/* SPDX-License-Identifier: BSD-3-Clause */
/* LAZULT_SPARE and LAZULT_QUANTUM: a ULT that blocks in the kernel, or computes for ever, does not
 * hold the others of its execution stream, whatever the access of the stream's pool. */
#define _GNU_SOURCE
#include <abt.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define CHECK(condition)                                                   \
    do {                                                                   \
        if (!(condition)) {                                                \
            printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                       \
        }                                                                  \
    } while (0)
#define MUST(call) CHECK((call) == ABT_SUCCESS)

enum { others = 8 };

static ABT_xstream stream;
static int ends[2];
static atomic_int begun;
static atomic_int done;
static atomic_int is_over;

static void blocks(void* unused) {
    char c = 0;
    (void)unused;
    begun = 1;
    CHECK(syscall(SYS_read, ends[0], &c, 1) == 1);
}

static void computes(void* unused) {
    (void)unused;
    begun = 1;
    while (!is_over) {
    }
}

/* The code sees the execution stream to which its pool belongs. */
static void check_place(void) {
    ABT_xstream here = ABT_XSTREAM_NULL;
    MUST(ABT_self_get_xstream(&here));
    CHECK(here == stream);
}

static void goes_on(void* mutex) {
    check_place();
    while (!begun) {
        MUST(ABT_thread_yield());
    }
    MUST(ABT_mutex_lock((ABT_mutex)mutex));
    MUST(ABT_thread_yield());
    MUST(ABT_mutex_unlock((ABT_mutex)mutex));
    check_place();
    if (++done == others) {
        is_over = 1;
        CHECK(write(ends[1], "x", 1) == 1);
    }
}

static void run(ABT_pool_access access, void (*holder)(void*)) {
    ABT_pool pool = ABT_POOL_NULL;
    ABT_mutex mutex = ABT_MUTEX_NULL;
    ABT_thread all[others + 1];
    begun = done = is_over = 0;
    CHECK(pipe(ends) == 0);
    MUST(ABT_mutex_create(&mutex));
    MUST(ABT_pool_create_basic(ABT_POOL_FIFO, access, ABT_TRUE, &pool));
    MUST(ABT_xstream_create_basic(ABT_SCHED_BASIC, 1, &pool, ABT_SCHED_CONFIG_NULL, &stream));
    for (int i = 0; i < others; ++i) {
        MUST(ABT_thread_create(pool, goes_on, mutex, ABT_THREAD_ATTR_NULL, &all[i]));
    }
    MUST(ABT_thread_create(pool, holder, NULL, ABT_THREAD_ATTR_NULL, &all[others]));
    for (int i = 0; i <= others; ++i) {
        MUST(ABT_thread_free(&all[i]));
    }
    CHECK(done == others);
    MUST(ABT_xstream_join(stream));
    MUST(ABT_xstream_free(&stream));
    MUST(ABT_mutex_free(&mutex));
    close(ends[0]);
    close(ends[1]);
}

/* Nobody joins it. It is on a spare stream when its own stream has nothing else to do. */
static void ends_late(void* unused) {
    const struct timespec pause = {.tv_nsec = 20000000};
    (void)unused;
    is_over = 1;
    for (int i = 0; i < 3; ++i) {
        CHECK(nanosleep(&pause, NULL) == 0);
        MUST(ABT_thread_yield());
    }
    done = 1;
}

/* The execution streams end after what they have lent, because the pool ends with them. */
static void run_and_end_streams(ABT_pool_access access, int has_second_stream) {
    const struct timespec pause = {.tv_nsec = 1000000};
    ABT_pool pool = ABT_POOL_NULL;
    ABT_xstream second = ABT_XSTREAM_NULL;
    ABT_thread other = ABT_THREAD_NULL;
    begun = done = is_over = 0;
    CHECK(pipe(ends) == 0);
    MUST(ABT_pool_create_basic(ABT_POOL_FIFO, access, ABT_TRUE, &pool));
    MUST(ABT_xstream_create_basic(ABT_SCHED_BASIC, 1, &pool, ABT_SCHED_CONFIG_NULL, &stream));
    MUST(ABT_thread_create(pool, blocks, NULL, ABT_THREAD_ATTR_NULL, NULL));
    while (!begun) {
        nanosleep(&pause, NULL);
    }
    if (has_second_stream) {
        MUST(ABT_xstream_create_basic(ABT_SCHED_BASIC, 1, &pool, ABT_SCHED_CONFIG_NULL, &second));
        begun = 0;
        MUST(ABT_thread_create(pool, blocks, NULL, ABT_THREAD_ATTR_NULL, &other));
        while (!begun) {
            nanosleep(&pause, NULL);
        }
    }
    MUST(ABT_thread_create(pool, ends_late, NULL, ABT_THREAD_ATTR_NULL, NULL));
    while (!is_over) {
        nanosleep(&pause, NULL);
    }
    CHECK(write(ends[1], "xx", 2) == 2);
    if (has_second_stream) {
        MUST(ABT_thread_free(&other));
        MUST(ABT_xstream_free(&second));
    }
    MUST(ABT_xstream_join(stream));
    CHECK(done == 1);
    MUST(ABT_xstream_free(&stream));
    close(ends[0]);
    close(ends[1]);
}

/* The primary ULT stays on the thread of main(), also if a caught stream shares its pool. That
 * stream is caught by a ULT from a pool that lends nothing, so no spare stream is in its place. */
static void keep_primary(void) {
    ABT_pool pools[2] = {ABT_POOL_NULL, ABT_POOL_NULL};
    ABT_xstream mine = ABT_XSTREAM_NULL;
    ABT_thread holder = ABT_THREAD_NULL;
    begun = 0;
    CHECK(pipe(ends) == 0);
    MUST(ABT_pool_create_basic(ABT_POOL_RANDWS, ABT_POOL_ACCESS_MPMC, ABT_TRUE, &pools[0]));
    MUST(ABT_pool_create_basic(ABT_POOL_FIFO, ABT_POOL_ACCESS_MPMC, ABT_TRUE, &pools[1]));
    MUST(ABT_self_get_xstream(&mine));
    MUST(ABT_xstream_set_main_sched_basic(mine, ABT_SCHED_BASIC, 1, &pools[1]));
    MUST(ABT_xstream_create_basic(ABT_SCHED_BASIC, 2, pools, ABT_SCHED_CONFIG_NULL, &stream));
    MUST(ABT_thread_create(pools[0], blocks, NULL, ABT_THREAD_ATTR_NULL, &holder));
    while (!begun) {
        MUST(ABT_thread_yield());
    }
    for (double end = ABT_get_wtime() + 0.05; ABT_get_wtime() < end;) {
        MUST(ABT_thread_yield());
        CHECK(syscall(SYS_gettid) == getpid());
    }
    CHECK(write(ends[1], "x", 1) == 1);
    MUST(ABT_thread_free(&holder));
    MUST(ABT_xstream_join(stream));
    MUST(ABT_xstream_free(&stream));
    close(ends[0]);
    close(ends[1]);
}

static void ends_after_main(void* unused) {
    (void)unused;
    while (!is_over) {
        MUST(ABT_thread_yield());
    }
    for (int i = 0; i < 300; ++i) {
        MUST(ABT_thread_yield());
    }
    done = 1;
}

/* ABT_finalize runs what is in the pools of the primary stream. A ULT that a spare stream has
 * borrowed from there, and which comes back with each yield, is no exception. */
static void finalize_beside_spare_streams(int argc, char** argv) {
    for (int life = 0; life < 300; ++life) {
        const struct timespec pause = {.tv_nsec = 6000000 + life % 7 * 100000};
        ABT_xstream mine = ABT_XSTREAM_NULL;
        ABT_pool pool = ABT_POOL_NULL;
        done = is_over = 0;
        MUST(ABT_init(argc, argv));
        MUST(ABT_self_get_xstream(&mine));
        MUST(ABT_xstream_get_main_pools(mine, 1, &pool));
        MUST(ABT_thread_create(pool, ends_after_main, NULL, ABT_THREAD_ATTR_NULL, NULL));
        CHECK(nanosleep(&pause, NULL) == 0);
        is_over = 1;
        MUST(ABT_finalize());
        CHECK(done == 1);
    }
}

int main(int argc, char** argv) {
    static const ABT_pool_access accesses[] = {ABT_POOL_ACCESS_PRIV, ABT_POOL_ACCESS_MPSC,
                                               ABT_POOL_ACCESS_MPMC};
    setenv("LAZULT_STARTED", "move", 1); /* pools that keep their ULTs lend none */
    setenv("LAZULT_SPARE", "3ms", 1);
    setenv("LAZULT_QUANTUM", "6ms", 1);
    for (int life = 0; life < 2; ++life) {
        MUST(ABT_init(argc, argv));
        for (int round = 0; round < 5; ++round) {
            for (size_t i = round == 0 ? 0 : 1; i < sizeof accesses / sizeof accesses[0]; ++i) {
                run(accesses[i], blocks);
                run(accesses[i], computes);
                run_and_end_streams(accesses[i], 0);
                if (accesses[i] == ABT_POOL_ACCESS_MPMC) {
                    run_and_end_streams(accesses[i], 1);
                }
            }
        }
        keep_primary();
        MUST(ABT_finalize());
    }
    finalize_beside_spare_streams(argc, argv);
    return 0;
}
