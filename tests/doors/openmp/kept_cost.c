// SPDX-License-Identifier: BSD-3-Clause
// usage: kept_cost [LEVELS IS_DEFERRED]
//
// A tree of tasks, for kept_cost.py: each task creates eight children and waits for them. One
// thread runs them all. It keeps deferred ones without records, and the others are calls.
#include <omp.h>
#include <stdlib.h>

#include "check.h"

enum { CHILDREN = 8 };

static long tree(int levels, int is_deferred) {
    long below[CHILDREN] = {0};
    for (int i = 0; levels > 0 && i < CHILDREN; ++i) {
#pragma omp task if (is_deferred) shared(below) firstprivate(i, levels, is_deferred)
        below[i] = tree(levels - 1, is_deferred);
    }
#pragma omp taskwait
    long all = 1;
    for (int i = 0; i < CHILDREN; ++i) {
        all += below[i];
    }
    return all;
}

static long nodes(int levels) { return levels == 0 ? 1 : 1 + CHILDREN * nodes(levels - 1); }

int main(int count, char** arguments) {
    const int levels = count > 1 ? atoi(arguments[1]) : 5;
    const int is_deferred = count > 2 ? atoi(arguments[2]) : 1;
    long all = 0;
#pragma omp parallel num_threads(1)
    all = tree(levels, is_deferred);
    CHECK(all == nodes(levels));
    return 0;
}
