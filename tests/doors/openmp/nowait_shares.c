// SPDX-License-Identifier: BSD-3-Clause
// Many worksharing constructs without barriers: threads are in different ones, more apart than
// there are slots.
#include <omp.h>
#include <string.h>

#include "check.h"

enum { constructs = 400, iterations = 64 };

static int hits[constructs][iterations];

int main(void) {
    for (int round = 0; round < 20; ++round) {
        memset(hits, 0, sizeof hits);
        int singles = 0;
#pragma omp parallel
        for (int c = 0; c < constructs; ++c) {
#pragma omp for schedule(dynamic, 3) nowait
            for (int i = 0; i < iterations; ++i) {
#pragma omp atomic
                ++hits[c][i];
            }
#pragma omp single nowait
            {
#pragma omp atomic
                ++singles;
            }
        }
        CHECK(singles == constructs);
        for (int c = 0; c < constructs; ++c) {
            for (int i = 0; i < iterations; ++i) {
                CHECK(hits[c][i] == 1);
            }
        }
    }
    return 0;
}
