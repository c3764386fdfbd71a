// SPDX-License-Identifier: BSD-3-Clause
// Loops, and k-means with a task to a point.
#include <lazult/lazult.hpp>

#include <array>
#include <mutex>

#include "../counters.hpp"
#include "../kmeans.h"
#include "cases.hpp"

namespace {

template <int n>
double light_loops(long rounds) {
    static counters<n> of_all;
    int* data = of_all.data.data();
    for (long round = 0; round < rounds; ++round) {
        lazult::parallel_for(0, n, [=](int i) { data[i] += 1; });
    }
    of_all.check(rounds);
    return static_cast<double>(rounds);
}

double nested_loops(long rounds) {
    constexpr int n = 1000;
    static counters<n * n> of_all;
    int* data = of_all.data.data();
    for (long round = 0; round < rounds; ++round) {
        lazult::parallel_for(
            0, n, [=](int i) { lazult::parallel_for(0, n, [=](int j) { data[i * n + j] += 1; }); });
    }
    of_all.check(rounds);
    return static_cast<double>(rounds);
}

struct alignas(128) padded_mutex {
    lazult::mutex lock;
};
std::array<padded_mutex, kmeans_clusters> locks;

void assign(int point) {
    const int cluster = kmeans_nearest(point);
    const std::lock_guard hold(locks[cluster].lock);
    kmeans_add(cluster, point);
}

void assign_share(int worker) {
    constexpr int share = kmeans_points / kmeans_workers;
    lazult::task_group points;
    for (int i = worker * share; i < (worker + 1) * share; ++i) {
        points.run([i] { assign(i); });
    }
    points.wait();
}

double kmeans(long rounds) {
    kmeans_prepare();
    for (long round = 0; round < rounds; ++round) {
        lazult::task_group workers;
        for (int w = 0; w < kmeans_workers; ++w) {
            workers.run([w] { assign_share(w); });
        }
        workers.wait();
    }
    kmeans_check(rounds);
    return static_cast<double>(rounds * kmeans_points);
}

}  // namespace

case_list loop_cases() {
    return {{"loop-one-stream", "parallel_for of 1,000 iterations", 1, 50000, light_loops<1000>},
            {"loop-two-streams", "parallel_for of 1,000 iterations", 2, 50000, light_loops<1000>},
            {"nested-one-stream", "parallel_for of 1,000 times 1,000", 1, 50, nested_loops},
            {"nested-two-streams", "parallel_for of 1,000 times 1,000", 2, 50, nested_loops},
            {"large-loop", "parallel_for of 100,000 iterations", 2, 1000, light_loops<100000>},
            {"kmeans", "a point of k-means, in a task of its own", 2, 4, kmeans}};
}
