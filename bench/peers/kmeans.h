/* SPDX-License-Identifier: BSD-3-Clause */
/* One pass of k-means: the same points and the same work for each library, which differ in
 * threads and locks alone. The sums are of whole numbers, so they do not depend on the order of
 * additions. */
#ifndef BENCH_PEERS_KMEANS_H
#define BENCH_PEERS_KMEANS_H

#include "../driver.h"

enum { kmeans_points = 65536, kmeans_clusters = 24, kmeans_dimensions = 4, kmeans_workers = 2 };

struct kmeans_sum {
    long count;
    long coordinates[kmeans_dimensions];
    char gap[128 - sizeof(long) * (1 + kmeans_dimensions)];
};

static double kmeans_point[kmeans_points][kmeans_dimensions];
static double kmeans_centre[kmeans_dimensions][kmeans_clusters];
static struct kmeans_sum kmeans_sums[kmeans_clusters];

static inline void kmeans_prepare(void) {
    unsigned long seed = 1;
    for (int i = 0; i < kmeans_points; i++)
        for (int d = 0; d < kmeans_dimensions; d++) {
            seed = seed * 6364136223846793005UL + 1442695040888963407UL;
            kmeans_point[i][d] = (double)(seed >> 44);
        }
    for (int d = 0; d < kmeans_dimensions; d++)
        for (int k = 0; k < kmeans_clusters; k++) kmeans_centre[d][k] = kmeans_point[k * 1000][d];
    memset(kmeans_sums, 0, sizeof kmeans_sums);
}

static inline int kmeans_nearest(int point) {
    double distances[kmeans_clusters] = {0};
    for (int d = 0; d < kmeans_dimensions; d++)
        for (int k = 0; k < kmeans_clusters; k++) {
            const double difference = kmeans_point[point][d] - kmeans_centre[d][k];
            distances[k] += difference * difference;
        }
    int best = 0;
    for (int k = 1; k < kmeans_clusters; k++)
        if (distances[k] < distances[best]) best = k;
    return best;
}

/* With the lock of that cluster held. */
static inline void kmeans_add(int cluster, int point) {
    kmeans_sums[cluster].count++;
    for (int d = 0; d < kmeans_dimensions; d++)
        kmeans_sums[cluster].coordinates[d] += (long)kmeans_point[point][d];
}

static inline void kmeans_check(long passes) {
    long points = 0, found = 0, wanted = 0;
    for (int k = 0; k < kmeans_clusters; k++) {
        points += kmeans_sums[k].count;
        found += kmeans_sums[k].coordinates[0];
    }
    for (int i = 0; i < kmeans_points; i++) wanted += (long)kmeans_point[i][0];
    bench_check(points == passes * kmeans_points && found == passes * wanted,
                "the sums of k-means");
}

#endif
