// SPDX-License-Identifier: BSD-3-Clause
// Trees of tied tasks that are deep, wide, or both: a task costs the same however many others wait.
// The tree is an unbalanced one: its root has many children, and each other task has eight with a
// probability of less than one eighth.
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "check.h"

enum { CHILDREN = 8 };

static uint64_t mixed(uint64_t x) {
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

static int children_of(uint64_t id, double probability) {
    return (double)(id >> 11) / 9007199254740992.0 < probability ? CHILDREN : 0;
}

static long count(uint64_t id, int children, double probability, int in_group) {
    long* below = calloc((size_t)children + 1, sizeof *below);
    long all = 1;
    for (int i = 0; i < children; ++i) {
        const uint64_t child = mixed(id * 1000003 + (uint64_t)i);
#pragma omp task firstprivate(i, child) shared(below)
        below[i] = count(child, children_of(child, probability), probability, in_group);
    }
    if (in_group) {
        // One more, and a group that waits for it while many others wait.
#pragma omp taskgroup
        {
#pragma omp task shared(below)
            below[children] = 0;
        }
    }
#pragma omp taskwait
    for (int i = 0; i < children; ++i) {
        all += below[i];
    }
    free(below);
    return all;
}

static long serial(uint64_t id, int children, double probability) {
    long all = 1;
    for (int i = 0; i < children; ++i) {
        const uint64_t child = mixed(id * 1000003 + (uint64_t)i);
        all += serial(child, children_of(child, probability), probability);
    }
    return all;
}

// Processor time of a task.
static double cost(int width, double probability, int in_group, int rounds) {
    double best = 1e9;
    for (int i = 0; i < rounds; ++i) {
        long nodes = 0;
        const clock_t before = clock();
#pragma omp parallel
#pragma omp single
        nodes = count(42, width, probability, in_group);
        const double each = (double)(clock() - before) / CLOCKS_PER_SEC / (double)nodes;
        CHECK(nodes == serial(42, width, probability));
        if (each < best) {
            best = each;
        }
    }
    return best;
}

// Where each look went through all tasks that wait, the larger ones took 40 times as long, or did
// not end.
static void check_sizes(int threads) {
    omp_set_num_threads(threads);
    const double narrow = cost(250, 0.12, 0, 5);
    CHECK(cost(2000, 0.12, 0, 3) < 8 * narrow);
    CHECK(cost(16000, 0.12, 0, 2) < 8 * narrow);
    CHECK(cost(250, 0.1245, 0, 3) < 8 * narrow);
    CHECK(cost(2000, 0.12, 1, 2) < 8 * cost(250, 0.12, 1, 5));
}

int main(void) {
    check_sizes(1);
    check_sizes(2);
    check_sizes(4);
    return 0;
}
