// SPDX-License-Identifier: BSD-3-Clause
// A task that waits may start a task that descends from it, also where those between them have
// ended. To find out, the runtime looks at these, so their records must still be there. Here the
// records are so large that they go back to malloc(), which gives their memory out again.
#include <omp.h>
#include <sched.h>
#include <string.h>

#include "check.h"

enum { large = 9000, blocks = 64, rounds = 3, most_levels = 3 };

static struct {
    char bytes[large];
} argument;

static int last_has_run;

static int has_run(void) { return __atomic_load_n(&last_has_run, __ATOMIC_ACQUIRE); }

// The child ends before its own child, which nobody waits for before the region ends.
static void leave_grandchild(void) {
#pragma omp task
    {
#pragma omp task
        __atomic_store_n(&last_has_run, 1, __ATOMIC_RELEASE);
    }
#pragma omp taskwait
}

// Each of them waits for its child alone.
static void descend(int levels, int is_deferred) {
    if (levels == 0) {
#pragma omp task if (is_deferred)
        leave_grandchild();
    } else {
#pragma omp task firstprivate(argument)
        {
            CHECK(argument.bytes[large - 1] == 0);
            descend(levels - 1, is_deferred);
        }
    }
#pragma omp taskwait
}

// What looks at a record in this memory follows a pointer to nowhere.
static void overwrite_free_memory(void) {
    char* block[blocks];
    for (int i = 0; i < blocks; ++i) {
        const size_t bytes = large + 16 * (size_t)i;
        block[i] = malloc(bytes);
        CHECK(block[i] != NULL);
        memset(block[i], 0x5a, bytes);
    }
    __asm__ volatile("" ::"r"(block) : "memory");
    for (int i = 0; i < blocks; ++i) {
        free(block[i]);
    }
}

// Nobody is obliged to run it meanwhile.
static void give_others_time_to_start_the_last(void) {
    const double end = omp_get_wtime() + 0.1;
    while (!has_run() && omp_get_wtime() < end) {
        sched_yield();
    }
}

static void wait_above_ended_tasks(int levels, int is_deferred) {
    int is_left = 0;
    last_has_run = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        CHECK(omp_get_num_threads() == 2);
#pragma omp task if (0) shared(is_left)
        {
#pragma omp task shared(is_left)
            {
                descend(levels, is_deferred);
                overwrite_free_memory();
                __atomic_store_n(&is_left, 1, __ATOMIC_RELEASE);
                give_others_time_to_start_the_last();
            }
            // So it is the other thread that runs the child.
            while (!__atomic_load_n(&is_left, __ATOMIC_ACQUIRE)) {
                sched_yield();
            }
#pragma omp taskwait
        }
    }
    CHECK(has_run());
}

int main(void) {
    for (int round = 0; round < rounds; ++round) {
        for (int levels = 1; levels <= most_levels; ++levels) {
            wait_above_ended_tasks(levels, 1);
            wait_above_ended_tasks(levels, 0);
        }
    }
    return 0;
}
