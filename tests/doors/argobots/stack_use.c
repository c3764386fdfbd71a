/* SPDX-License-Identifier: BSD-3-Clause */
/* A program for stack_use_test.py: ULTs that go to known depths. ENABLE_EXPORTS: so that the table
 * knows its functions by name. */
#include <abt.h>
#include <alloca.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                                              \
    do {                                                                         \
        const int code = (call);                                                 \
        if (code != ABT_SUCCESS) {                                               \
            fprintf(stderr, "%s:%d: %s: %d\n", __FILE__, __LINE__, #call, code); \
            exit(1);                                                             \
        }                                                                        \
    } while (0)

enum { KIB = 1024, LARGE = 256 * KIB, OWN = 128 * KIB };

static ABT_pool pool;

static void __attribute__((noinline)) use(size_t bytes) {
    char* const memory = alloca(bytes);
    memset(memory, 7, bytes);
    __asm__ volatile("" : : "r"(memory) : "memory");
}

void ten_kib(void* unused) {
    (void)unused;
    use(10 * KIB);
}
void hundred_kib(void* unused) {
    (void)unused;
    use(100 * KIB);
}
void twenty_kib_after_yield(void* unused) {
    (void)unused;
    CHECK(ABT_thread_yield());
    use(20 * KIB);
}
void shallow(void* unused) { (void)unused; }
void revived(void* unused) {
    (void)unused;
    use(5 * KIB);
}
void fifty_kib_on_own_memory(void* unused) {
    (void)unused;
    use(50 * KIB);
}
void shallow_on_own_memory(void* unused) { (void)unused; }
void never_starts(void* unused) { use(unused == NULL ? KIB : 0); }
void tasklet(void* unused) {
    (void)unused;
    use(KIB);
}

static void run(int count, void (*entry)(void*), ABT_thread_attr attr) {
    for (int i = 0; i < count; ++i) {
        ABT_thread thread;
        CHECK(ABT_thread_create(pool, entry, NULL, attr, &thread));
        CHECK(ABT_thread_free(&thread));
    }
}

static void run_with_size(int count, void (*entry)(void*), size_t bytes) {
    ABT_thread_attr attr;
    CHECK(ABT_thread_attr_create(&attr));
    CHECK(ABT_thread_attr_set_stacksize(attr, bytes));
    run(count, entry, attr);
    CHECK(ABT_thread_attr_free(&attr));
}

static void run_on_own_memory(void) {
    char* const memory = malloc(OWN);
    ABT_thread_attr attr;
    memset(memory, 1, OWN);
    CHECK(ABT_thread_attr_create(&attr));
    CHECK(ABT_thread_attr_set_stack(attr, memory, OWN));
    run(2, fifty_kib_on_own_memory, attr);
    run(3, shallow_on_own_memory, attr);
    CHECK(ABT_thread_attr_free(&attr));
    free(memory);
}

static void revive(void) {
    ABT_thread thread;
    CHECK(ABT_thread_create(pool, shallow, NULL, ABT_THREAD_ATTR_NULL, &thread));
    for (int i = 0; i < 4; ++i) {
        CHECK(ABT_thread_join(thread));
        CHECK(ABT_thread_revive(pool, revived, NULL, &thread));
    }
    CHECK(ABT_thread_free(&thread));
}

static void cancel(void) {
    ABT_thread thread;
    CHECK(ABT_thread_create(pool, never_starts, NULL, ABT_THREAD_ATTR_NULL, &thread));
    CHECK(ABT_thread_cancel(thread));
    CHECK(ABT_thread_free(&thread));
}

int main(void) {
    ABT_xstream self;
    ABT_task task;
    CHECK(ABT_init(0, NULL));
    CHECK(ABT_xstream_self(&self));
    CHECK(ABT_xstream_get_main_pools(self, 1, &pool));
    run(3, ten_kib, ABT_THREAD_ATTR_NULL);
    run_with_size(2, hundred_kib, LARGE);
    run_with_size(6, shallow, LARGE);
    run(4, twenty_kib_after_yield, ABT_THREAD_ATTR_NULL);
    run_on_own_memory();
    revive();
    cancel();
    CHECK(ABT_task_create(pool, tasklet, NULL, &task));
    CHECK(ABT_task_free(&task));
    CHECK(ABT_finalize());
    return 0;
}
