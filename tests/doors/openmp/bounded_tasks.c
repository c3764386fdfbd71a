// SPDX-License-Identifier: BSD-3-Clause
// However many tasks a loop creates, few of them wait at a time.
#include <omp.h>
#include <sys/resource.h>

#include "check.h"

enum { many = 50000, most_waiting = 1000 };

static long done;
static long most;

static void note_created(long created) {
    if (created - done > most) {
        most = created - done;
    }
}

// Nobody waits for what a task creates.
static void create_with_children(void) {
    for (long i = 0; i < many; ++i) {
#pragma omp task
        {
            ++done;
#pragma omp task
            ++done;
        }
        note_created(2 * (i + 1));
    }
}

// A task that sets a control variable takes its siblings out of where they are kept.
static void create_with_variables(void) {
    for (long i = 0; i < many; ++i) {
#pragma omp task
        {
            omp_set_num_threads(1);
            ++done;
        }
        note_created(i + 1);
    }
}

// So does a creator.
static void create_and_set_variables(void) {
    for (long i = 0; i < many; ++i) {
        omp_set_num_threads((int)(1 + i % 4));
#pragma omp task
        ++done;
        note_created(i + 1);
    }
}

// A task that starts at once may want a lock that its creator has.
static omp_lock_t gate;
static void create_with_lock(void) {
    omp_set_lock(&gate);
    for (long i = 0; i < many; ++i) {
#pragma omp task
        {
            omp_set_lock(&gate);
            ++done;
            omp_unset_lock(&gate);
        }
    }
    omp_unset_lock(&gate);
}

// Two threads, one of which creates: the memory tells how many tasks wait.
static void check_memory_of_two_threads(void) {
    enum { most_kib = 16 * 1024, tasks = 1000000 };
    struct rusage before;
    struct rusage after;
    done = 0;
    getrusage(RUSAGE_SELF, &before);
#pragma omp parallel num_threads(2)
#pragma omp single
    for (long i = 0; i < tasks; ++i) {
#pragma omp task
        __atomic_fetch_add(&done, 1, __ATOMIC_RELAXED);
    }
    getrusage(RUSAGE_SELF, &after);
    CHECK(done == tasks);
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
    CHECK(after.ru_maxrss - before.ru_maxrss < most_kib);
#else
    (void)after;
    (void)before;
#endif
}

static void check(void (*create)(void), long created) {
    done = 0;
    most = 0;
#pragma omp parallel num_threads(1)
    create();
    CHECK(done == created);
    CHECK(most <= most_waiting);
}

int main(void) {
    check(create_with_children, 2 * many);
    check(create_with_variables, many);
    check(create_and_set_variables, many);
    omp_init_lock(&gate);
    check(create_with_lock, many);
    omp_destroy_lock(&gate);
    check_memory_of_two_threads();
    return 0;
}
