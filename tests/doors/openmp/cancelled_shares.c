// SPDX-License-Identifier: BSD-3-Clause
// Threads that do not see that their region was cancelled go on through constructs that the others
// never come to. They share these among each other.
#include <omp.h>

#include "check.h"
#include "with_environment.h"

enum { constructs = 40, iterations = 200 };

static int hits[constructs][iterations];

static void hit(int c, int i) { __atomic_fetch_add(&hits[c][i], 1, __ATOMIC_RELAXED); }

// A thread that comes late finds the construct where the others found it, and what they left of it.
static void loops(void) {
    for (int c = 0; c < constructs; ++c) {
#pragma omp for schedule(dynamic) nowait
        for (int i = 0; i < iterations; ++i) {
            hit(c, i);
        }
    }
}

static void monotonic_loops(void) {
    for (int c = 0; c < constructs; ++c) {
#pragma omp for schedule(monotonic : guided, 2) nowait
        for (int i = 0; i < iterations; ++i) {
            hit(c, i);
        }
    }
}

static void doacross_loops(void) {
    for (int c = 0; c < constructs; ++c) {
#pragma omp for schedule(dynamic) ordered(1) nowait
        for (int i = 0; i < iterations; ++i) {
#pragma omp ordered depend(sink : i - 1)
            hit(c, i);
#pragma omp ordered depend(source)
        }
    }
}

static void check_all(int most_iterations) {
    for (int c = 0; c < constructs; ++c) {
        for (int i = 0; i < iterations; ++i) {
            CHECK(hits[c][i] == (i < most_iterations));
            hits[c][i] = 0;
        }
    }
}

static void sections(void) {
    for (int c = 0; c < constructs; ++c) {
#pragma omp sections nowait
        {
#pragma omp section
            hit(c, 0);
#pragma omp section
            hit(c, 1);
        }
    }
}

static void cancel_and_run(int threads, void (*work)(void)) {
    int cancelled = 0;
#pragma omp parallel num_threads(threads)
    {
        if (omp_get_thread_num() == 0) {
            __atomic_store_n(&cancelled, 1, __ATOMIC_RELEASE);
#pragma omp cancel parallel
        }
        while (!__atomic_load_n(&cancelled, __ATOMIC_ACQUIRE)) {
        }
        work();
    }
}

static void all_kinds(int threads) {
    cancel_and_run(threads, loops);
    check_all(iterations);
    cancel_and_run(threads, monotonic_loops);
    check_all(iterations);
    cancel_and_run(threads, doacross_loops);
    check_all(iterations);
    cancel_and_run(threads, sections);
    check_all(2);
    // The next region of the team is whole.
#pragma omp parallel num_threads(threads)
    loops();
    check_all(iterations);
}

int main(int count, char** arguments) {
    (void)count;
    start_again_with("OMP_CANCELLATION", "true", arguments);
    omp_set_max_active_levels(2);
    for (int round = 0; round < 20; ++round) {
        all_kinds(2);
        all_kinds(4);
    }
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int round = 0; round < 20; ++round) {
        all_kinds(3);
    }
    return 0;
}
