// SPDX-License-Identifier: BSD-3-Clause
// Tasks that wait for a lock suspend: there are more of them than threads, and the one that unlocks
// comes last. Deep recursion of tasks does not overflow a stack.
#include <omp.h>

#include "check.h"

enum { tasks = 1000 };  // more than a thread keeps

static void wait_for_creator(void) {
    omp_lock_t gate;
    int passed = 0;
    omp_init_lock(&gate);
#pragma omp parallel
#pragma omp single
    {
        omp_set_lock(&gate);
        for (int i = 0; i < tasks; ++i) {
#pragma omp task shared(passed, gate)
            {
                omp_set_lock(&gate);
                ++passed;
                omp_unset_lock(&gate);
            }
        }
        for (int i = 0; i < 20; ++i) {
#pragma omp taskyield
        }
        omp_unset_lock(&gate);
    }
    CHECK(passed == tasks);
    omp_destroy_lock(&gate);
}

static long depth_of(long left) {
    long below = 0;
    if (left > 0) {
#pragma omp task shared(below)
        below = depth_of(left - 1);
#pragma omp taskwait
    }
    return below + 1;
}

static void recurse(void) {
    long depth = 0;
#pragma omp parallel
#pragma omp single
    depth = depth_of(deepest);
    CHECK(depth == deepest + 1);
}

int main(void) {
    for (int i = 0; i < 10; ++i) {
        wait_for_creator();
    }
    recurse();
    return 0;
}
