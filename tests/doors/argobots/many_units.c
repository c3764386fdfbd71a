/* SPDX-License-Identifier: BSD-3-Clause */
/* A hundred thousand threads that are blocked at once take the addresses of their stacks and
 * guards, and little besides; and after
 *    ABT_finalize their memory is the system's again. Stacks are of the size that Argobots gives by
 * default. */
#define _POSIX_C_SOURCE 200809L
#include <abt.h>

#include <stdio.h>
#include <stdlib.h>

enum { units = 100000, page_kib = 4 };

struct sizes {
    long mapped;
    long resident;
};

static struct sizes sizes_now(const char* when) {
    struct sizes now = {0, 0};
    FILE* f = fopen("/proc/self/statm", "r");
    if (f == NULL || fscanf(f, "%ld %ld", &now.mapped, &now.resident) != 2) {
        exit(2);
    }
    fclose(f);
    now.mapped *= page_kib;
    now.resident *= page_kib;
    printf("%s: %ld KiB mapped, %ld resident\n", when, now.mapped, now.resident);
    return now;
}

static ABT_mutex lock;
static ABT_cond opened;
static int is_open = 1;
static int passed = 0;

static void pass(void* unused) {
    (void)unused;
    ABT_mutex_lock(lock);
    while (!is_open) {
        ABT_cond_wait(opened, lock);
    }
    ++passed;
    ABT_mutex_unlock(lock);
}

static void open_gate(void) {
    ABT_mutex_lock(lock);
    is_open = 1;
    ABT_cond_broadcast(opened);
    ABT_mutex_unlock(lock);
}

static void expect(int good, const char* what) {
    if (!good) {
        printf("failed: %s\n", what);
        exit(1);
    }
}

int main(void) {
    static ABT_thread all[units];
    ABT_xstream self;
    ABT_pool pool;
    size_t stack_size = 0;
    struct sizes one, many, ended;
    setenv("ABT_THREAD_STACKSIZE", "16384", 1);
    ABT_init(0, NULL);
    ABT_info_query_config(ABT_INFO_QUERY_KIND_DEFAULT_THREAD_STACKSIZE, &stack_size);
    expect(stack_size == 16384, "the stacks are of that size");
    ABT_xstream_self(&self);
    ABT_xstream_get_main_pools(self, 1, &pool);
    ABT_mutex_create(&lock);
    ABT_cond_create(&opened);
    ABT_thread_create(pool, pass, NULL, ABT_THREAD_ATTR_NULL, &all[0]);
    ABT_thread_free(&all[0]);
    one = sizes_now("one");
    is_open = 0;
    for (int i = 0; i != units; ++i) {
        expect(ABT_thread_create(pool, pass, NULL, ABT_THREAD_ATTR_NULL, &all[i]) == ABT_SUCCESS,
               "create");
    }
    ABT_thread_yield();
    many = sizes_now("many");
    open_gate();
    for (int i = 0; i != units; ++i) {
        ABT_thread_free(&all[i]);
    }
    ABT_mutex_free(&lock);
    ABT_cond_free(&opened);
    ABT_finalize();
    ended = sizes_now("ended");
    expect(passed == units + 1, "all have passed");
    expect(many.resident - one.resident > units * 4L, "each of them had a stack");
    expect(many.mapped <= 2L * 1024 * 1024, "2 GiB of addresses are enough");
    expect(ended.resident - one.resident <= 4096 + (long)(sizeof all / 1024),
           "the memory is the system's again");
    return 0;
}
