// SPDX-License-Identifier: BSD-3-Clause
// A thread that leaves the end of a region late begins with its part of the next region, and not
// with a task of that region: the task may wait for that very part.
#include <omp.h>
#include <sched.h>

#include "check.h"

// Not to be seen by gcc, which leaves empty regions out.
__attribute__((noipa)) static void nothing(void) {}

static void two_regions(int threads) {
    int begun = 0;
#pragma omp parallel num_threads(threads)
    nothing();
#pragma omp parallel num_threads(threads)
    {
        __atomic_fetch_add(&begun, 1, __ATOMIC_RELEASE);
        for (int i = 0; omp_get_thread_num() == 0 && i < threads; ++i) {
#pragma omp task shared(begun)
            while (__atomic_load_n(&begun, __ATOMIC_ACQUIRE) != threads) {
                sched_yield();
            }
        }
    }
    CHECK(begun == threads);
}

int main(void) {
    for (int round = 0; round < 4000; ++round) {
        two_regions(2);
        two_regions(3);
    }
    return 0;
}
