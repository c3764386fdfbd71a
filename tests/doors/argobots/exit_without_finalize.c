/* SPDX-License-Identifier: BSD-3-Clause */
/* A program may end without ABT_finalize, with streams that run and units that were never run.
 * What the library and the program can still reach through handles is not lost: so a leak
 * checker, where there is one, must see it. */
#include <abt.h>
#include <stdio.h>
#include <stdlib.h>

static int bad;

static void expect(int code, const char* what) {
    if (code != ABT_SUCCESS) {
        fprintf(stderr, "exit_without_finalize: %s: %d\n", what, code);
        bad = 1;
    }
}

static void nothing(void* unused) { (void)unused; }

static void make_unit_that_never_runs(void) {
    ABT_pool pool = ABT_POOL_NULL;
    ABT_key key = ABT_KEY_NULL;
    ABT_thread thread = ABT_THREAD_NULL;
    expect(ABT_pool_create_basic(ABT_POOL_FIFO, ABT_POOL_ACCESS_MPMC, ABT_FALSE, &pool), "a pool");
    expect(ABT_key_create(free, &key), "a key");
    expect(ABT_thread_create(pool, nothing, malloc(100), ABT_THREAD_ATTR_NULL, &thread), "a unit");
    expect(ABT_thread_set_specific(thread, key, malloc(100)), "its value");
    expect(ABT_pool_set_data(pool, malloc(100)), "the pool's data");
}

static void make_streams(void) {
    ABT_xstream stream = ABT_XSTREAM_NULL;
    ABT_sched sched = ABT_SCHED_NULL;
    expect(ABT_xstream_create(ABT_SCHED_NULL, &stream), "a stream");
    expect(ABT_sched_create_basic(ABT_SCHED_RANDWS, 0, NULL, ABT_SCHED_CONFIG_NULL, &sched),
           "a scheduler");
    expect(ABT_xstream_create(sched, &stream), "a stream that steals");
}

static void make_the_rest(void) {
    ABT_eventual eventual = ABT_EVENTUAL_NULL;
    ABT_future future = ABT_FUTURE_NULL;
    ABT_sched_config config = ABT_SCHED_CONFIG_NULL;
    expect(ABT_eventual_create(1000, &eventual), "an eventual");
    expect(ABT_future_create(100, NULL, &future), "a future");
    expect(ABT_sched_config_create(&config, ABT_sched_basic_freq, 5, ABT_sched_config_var_end),
           "a configuration");
}

int main(void) {
    expect(ABT_init(0, NULL), "ABT_init");
    make_unit_that_never_runs();
    make_streams();
    make_the_rest();
    return bad;
}
