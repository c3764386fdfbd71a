/* SPDX-License-Identifier: BSD-3-Clause */
/* Code of OpenMP programs may keep the address of a thread-local variable over whatever suspends
 * it: threads of nested teams and tasks, tied and untied, go on upon the OS thread where they
 * began. */
#include <omp.h>

#include <errno.h>

#include "check.h"

enum { tasks = 200, turns = 20, depth = 7 };

static __thread int of_os_thread;
static int moved;
static int waits; /* which really suspended, or ran other code in between */
static omp_lock_t lock;

__attribute__((noinline)) static const void* address_now(void) {
    __asm__ volatile("");
    return &of_os_thread;
}
__attribute__((noinline)) static const void* errno_now(void) {
    __asm__ volatile("");
    return &errno;
}

struct kept {
    const void* variable;
    const void* number;
};

static struct kept keep(void) {
    const struct kept all = {address_now(), errno_now()};
    return all;
}

static void look(struct kept k) {
    if (address_now() != k.variable || errno_now() != k.number) {
        __atomic_fetch_add(&moved, 1, __ATOMIC_RELAXED);
    }
    __atomic_fetch_add(&waits, 1, __ATOMIC_RELAXED);
}

static void nothing(void) {
#pragma omp task
    __atomic_fetch_add(&waits, 1, __ATOMIC_RELAXED);
}

static void wait_in_all_ways(void) {
    const struct kept k = keep();
    for (int i = 0; i < turns; ++i) {
#pragma omp taskyield
        look(k);
        nothing();
#pragma omp taskwait
        look(k);
        omp_set_lock(&lock);
        look(k);
#pragma omp taskyield
        look(k);
        omp_unset_lock(&lock);
#pragma omp taskgroup
        nothing();
        look(k);
    }
}

static void tree(int levels) {
    const struct kept k = keep();
    if (levels != 0) {
        for (int i = 0; i < 2; ++i) {
#pragma omp task
            tree(levels - 1);
        }
#pragma omp taskwait
    }
    look(k);
}

static void create_tasks(void) {
    for (int i = 0; i < tasks; ++i) {
#pragma omp task
        wait_in_all_ways();
#pragma omp task untied
        wait_in_all_ways();
    }
    tree(depth);
}

static void nested_team(void) {
#pragma omp parallel num_threads(3)
    {
        const struct kept k = keep();
        for (int i = 0; i < turns; ++i) {
#pragma omp barrier
            look(k);
#pragma omp critical
            look(k);
#pragma omp single
            nothing();
            look(k);
        }
    }
}

int main(void) {
    omp_init_lock(&lock);
    omp_set_max_active_levels(3);
#pragma omp parallel
#pragma omp single
    create_tasks();
#pragma omp parallel
    {
        const struct kept k = keep();
        nested_team();
        look(k);
#pragma omp task
        nested_team();
#pragma omp barrier
        look(k);
    }
    omp_destroy_lock(&lock);
    CHECK(moved == 0);
    CHECK(waits > 2 * tasks * turns * 5);
    return 0;
}
