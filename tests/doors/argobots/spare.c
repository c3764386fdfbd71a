/* SPDX-License-Identifier: BSD-3-Clause */
/* LAZULT_SPARE and LAZULT_QUANTUM: a ULT that blocks in the kernel, or computes for ever, does not
 * hold the others of its execution stream, whatever the access of the stream's pool. */
#define _GNU_SOURCE
#include <abt.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
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

int main(int argc, char** argv) {
    static const ABT_pool_access accesses[] = {ABT_POOL_ACCESS_PRIV, ABT_POOL_ACCESS_MPSC,
                                               ABT_POOL_ACCESS_MPMC};
    setenv("LAZULT_SPARE", "3ms", 1);
    setenv("LAZULT_QUANTUM", "6ms", 1);
    for (int life = 0; life < 2; ++life) {
        MUST(ABT_init(argc, argv));
        for (int round = 0; round < 5; ++round) {
            for (size_t i = round == 0 ? 0 : 1; i < sizeof accesses / sizeof accesses[0]; ++i) {
                run(accesses[i], blocks);
                run(accesses[i], computes);
            }
        }
        MUST(ABT_finalize());
    }
    return 0;
}
