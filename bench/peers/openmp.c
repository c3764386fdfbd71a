/* SPDX-License-Identifier: BSD-3-Clause */
/* The driver of `lazult bench peers` for OpenMP: gcc's libgomp, or LLVM's libomp where clang
 * compiles it. */
#include <omp.h>

#include "case.h"
#include "kmeans.h"

static void open_streams(int streams) { omp_set_num_threads(streams); }
static void close_streams(void) {}

enum { iterations = 100000 };
static int data[iterations];
static int passes;

static double large_loop(long rounds) {
    for (long round = 0; round < rounds; round++) {
#pragma omp parallel for
        for (int i = 0; i < iterations; i++) data[i] += 1;
    }
    passes += (int)rounds;
    for (int i = 0; i < iterations; i++)
        bench_check(data[i] == passes, "how often each iteration ran");
    return (double)rounds;
}

static omp_lock_t locks[kmeans_clusters][128 / sizeof(omp_lock_t)]; /* the first of each line */

static void assign(int point) {
    const int cluster = kmeans_nearest(point);
    omp_set_lock(&locks[cluster][0]);
    kmeans_add(cluster, point);
    omp_unset_lock(&locks[cluster][0]);
}

static void assign_share(int worker) {
    const int share = kmeans_points / kmeans_workers;
    for (int i = worker * share; i < (worker + 1) * share; i++) {
#pragma omp task firstprivate(i)
        assign(i);
    }
#pragma omp taskwait
}

static double kmeans(long rounds) {
    kmeans_prepare();
    for (int k = 0; k < kmeans_clusters; k++) omp_init_lock(&locks[k][0]);
    for (long round = 0; round < rounds; round++) {
#pragma omp parallel num_threads(kmeans_workers)
        assign_share(omp_get_thread_num());
    }
    for (int k = 0; k < kmeans_clusters; k++) omp_destroy_lock(&locks[k][0]);
    kmeans_check(rounds);
    return (double)rounds * kmeans_points;
}

static const struct peers_case cases[] = {
    {"large-loop", "parallel for of 100,000 iterations", 2, 1000, large_loop},
    {"kmeans", "a point of k-means, in a task of its own", 2, 4, kmeans},
    {NULL, NULL, 0, 0, NULL}};

int main(int argc, char** argv) {
    return peers_main(argc, argv, cases, open_streams, close_streams);
}
