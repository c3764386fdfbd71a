// SPDX-License-Identifier: BSD-3-Clause
// Nested teams that run ahead through constructs without barriers wait for members that have not
// started yet, on the same threads.
#include <omp.h>

#include "check.h"

enum { constructs = 40, iterations = 16 };

int main(void) {
    omp_set_max_active_levels(2);
    for (int round = 0; round < 20; ++round) {
        int hits = 0;
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(4)
        for (int c = 0; c < constructs; ++c) {
#pragma omp for schedule(dynamic, 1) nowait
            for (int i = 0; i < iterations; ++i) {
#pragma omp atomic
                ++hits;
            }
        }
        CHECK(hits == 2 * constructs * iterations);
    }
    return 0;
}
