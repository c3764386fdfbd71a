// SPDX-License-Identifier: BSD-3-Clause
// A thread goes through any number of constructs without barriers before another one, which waits
// for that by spinning, comes to the first of them.
#include <omp.h>
#include <string.h>

#include "check.h"

enum { constructs = 200, iterations = 12 };

static int hits[constructs][iterations];

static void some(int first, int end) {
    for (int c = first; c < end; ++c) {
#pragma omp for schedule(dynamic, 1) nowait
        for (int i = 0; i < iterations; ++i) {
            __atomic_fetch_add(&hits[c][i], 1, __ATOMIC_RELAXED);
        }
    }
}

static void check_all(void) {
    for (int c = 0; c < constructs; ++c) {
        for (int i = 0; i < iterations; ++i) {
            CHECK(hits[c][i] == 1);
        }
    }
    memset(hits, 0, sizeof hits);
}

// Thread 0 follows at once, or behind a barrier, which is in the middle of what is far ahead.
static void one_ahead(int threads, int at_barrier) {
    int ahead = 0;
#pragma omp parallel num_threads(threads)
    {
        if (omp_get_thread_num() == 0) {
            while (__atomic_load_n(&ahead, __ATOMIC_ACQUIRE) != threads - 1) {
#pragma omp taskyield
            }
        }
        some(0, constructs / 2);
        if (omp_get_thread_num() != 0) {
            __atomic_fetch_add(&ahead, 1, __ATOMIC_RELEASE);
        }
        if (at_barrier) {
#pragma omp for schedule(dynamic, 1)
            for (int i = 0; i < iterations; ++i) {
            }
        }
        some(constructs / 2, constructs);
    }
    check_all();
}

int main(void) {
    omp_set_max_active_levels(2);
    for (int round = 0; round < 10; ++round) {
        one_ahead(2, 0);
        one_ahead(2, 1);
        one_ahead(4, 0);
        one_ahead(4, 1);
    }
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int round = 0; round < 5; ++round) {
        one_ahead(3, round % 2);
    }
    return 0;
}
