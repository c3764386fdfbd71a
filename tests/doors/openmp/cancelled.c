// SPDX-License-Identifier: BSD-3-Clause
// What was cancelled leaves nothing behind: a nested team's next region is whole, tasks with events
// that nobody can fulfil are not waited for, and threads' copies of reduction variables are freed.
#include <malloc.h>
#include <omp.h>

#include "check.h"
#include "with_environment.h"

static int whole_loop(void) {
    int iterations = 0;
#pragma omp parallel num_threads(2) reduction(+ : iterations)
    {
#pragma omp for schedule(dynamic, 1)
        for (int i = 0; i < 100; ++i) {
            ++iterations;
#pragma omp cancellation point for
            if (iterations < 0) {
#pragma omp cancel for
            }
        }
    }
    return iterations;
}

static void cancel_both(void) {
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(static, 1)
        for (int i = 0; i < 2; ++i) {
#pragma omp cancel for
        }
        if (omp_get_thread_num() == 0) {
#pragma omp cancel parallel
        }
#pragma omp barrier
    }
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
#pragma omp cancel parallel
        }
#pragma omp for schedule(static, 1)
        for (int i = 0; i < 2; ++i) {
#pragma omp cancel for
        }
    }
}

static void cancel_nested(void) {
#pragma omp parallel num_threads(2)
    for (int round = 0; round < 20; ++round) {
        cancel_both();
        CHECK(whole_loop() == 100);
    }
}

static void discard_detached(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int round = 0; round < 20; ++round) {
        int created = 0;
#pragma omp taskgroup
        {
            int order = 0;
            (void)order;
#pragma omp task depend(out : order) shared(created)
            {
                while (!__atomic_load_n(&created, __ATOMIC_ACQUIRE)) {
                }
#pragma omp cancel taskgroup
            }
            omp_event_handle_t event;
#pragma omp task detach(event) depend(in : order)
            omp_fulfill_event(event);
            __atomic_store_n(&created, 1, __ATOMIC_RELEASE);
        }
    }
}

static void discard_and_fulfill(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int round = 0; round < 20; ++round) {
        omp_event_handle_t event;
        int created = 0;
#pragma omp taskgroup
        {
            int order = 0;
            (void)order;
#pragma omp task depend(out : order) shared(created)
            {
                while (!__atomic_load_n(&created, __ATOMIC_ACQUIRE)) {
                }
#pragma omp cancel taskgroup
            }
#pragma omp task detach(event) depend(in : order)
            {
            }
            __atomic_store_n(&created, 1, __ATOMIC_RELEASE);
        }
        omp_fulfill_event(event);
    }
}

enum { sums = 1 << 16 };
static int totals[sums];

// One thread has copies made for both, and nobody combines them.
static void cancel_reduction(void) {
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
#pragma omp cancel parallel
        }
#pragma omp for reduction(task, + : totals)
        for (int i = 0; i < 2; ++i) {
#pragma omp task in_reduction(+ : totals)
            ++totals[i];
        }
    }
}

static void cancel_reductions(void) {
    cancel_reduction();
    const size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
    for (int round = 0; round < 100; ++round) {
        cancel_reduction();
    }
    CHECK(mallinfo2().uordblks + mallinfo2().hblkhd < before + 8 * sizeof totals);
}

int main(int count, char** arguments) {
    (void)count;
    start_again_with("OMP_CANCELLATION", "true", arguments);
    omp_set_max_active_levels(2);
    cancel_nested();
    discard_detached();
    discard_and_fulfill();
    cancel_reductions();
#pragma omp parallel num_threads(1)
    cancel_reductions();
    return 0;
}
