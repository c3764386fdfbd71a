// SPDX-License-Identifier: BSD-3-Clause
// Nested regions: numbers, levels, barriers inside; no OS thread is made for them.
#include <omp.h>

#include "check.h"
#include "tests/support/os_threads.h"

static void nested(int outer, int inner) {
    int visits = 0;
#pragma omp parallel num_threads(outer) reduction(+ : visits)
    {
        const int mine = omp_get_thread_num();
        int together = 0;
#pragma omp parallel num_threads(inner) reduction(+ : visits)
        {
            CHECK(omp_get_level() == 2 && omp_get_num_threads() == inner);
            CHECK(omp_get_ancestor_thread_num(1) == mine);
            for (int round = 1; round <= 3; ++round) {
#pragma omp atomic
                ++together;
#pragma omp barrier
                CHECK(together == round * inner);
#pragma omp barrier
            }
            ++visits;
        }
        CHECK(omp_get_thread_num() == mine && omp_get_level() == 1);
    }
    CHECK(visits == outer * inner);
}

int main(void) {
    omp_set_max_active_levels(3);
    nested(4, 4);
    const int before = os_threads();
    for (int i = 0; i < 200; ++i) {
        nested(4, 1 + i % 9);
    }
    CHECK(os_threads_are(before));
    return 0;
}
