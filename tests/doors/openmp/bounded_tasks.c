// SPDX-License-Identifier: BSD-3-Clause
// A team of one thread: however many tasks a loop creates, few of them wait at a time.
#include <omp.h>

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
    return 0;
}
