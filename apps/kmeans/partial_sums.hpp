// SPDX-License-Identifier: BSD-3-Clause
// The sums of one pass, shared by all workers and guarded by L locks, K clusters and W workers:
//   L <= K   one replica of the sums; a lock guards K/L neighbouring clusters.
//   L >  K   L/K replicas, a lock to each cluster of each; W/(L/K) workers share a replica. At L =
//            K*W every worker has its own, so that only a unit that moved or was preempted can meet
//            another.
#pragma once

#include <cstddef>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "apps/kmeans/kmeans.hpp"

namespace kmeans {

// Returns the number of locks that a replica has.
inline std::size_t locks_to_a_replica(std::size_t locks, std::size_t clusters,
                                      std::size_t workers) {
    const bool possible = locks >= 1 && locks <= clusters * workers;
    if (!possible || (locks > clusters && locks % clusters != 0)) {
        throw std::invalid_argument("locks: " + std::to_string(locks) + " is not possible; 1 to " +
                                    std::to_string(clusters) +
                                    " (the clusters) are, and its multiples up to " +
                                    std::to_string(clusters * workers) + " (times the workers)");
    }
    return locks < clusters ? locks : clusters;
}

template <class Lock>
class partial_sums {
public:
    partial_sums(std::size_t clusters, std::size_t dimensions, std::size_t workers,
                 std::size_t locks)
        : clusters_(clusters),
          dimensions_(dimensions),
          workers_(workers),
          locks_each_(locks_to_a_replica(locks, clusters, workers)),
          replicas_(locks / locks_each_),
          locks_(locks),
          sums_(clusters * replicas_) {}

    void add(std::size_t worker, std::size_t cluster, const std::int32_t* point) {
        const std::size_t replica = worker * replicas_ / workers_;
        const std::scoped_lock guard(
            locks_[replica * locks_each_ + cluster * locks_each_ / clusters_].lock);
        sums_[replica * clusters_ + cluster].add(point, dimensions_);
    }

    // For the master, once no worker runs: the sums over all replicas, which start again from zero.
    std::vector<cluster_sum> reduce() {
        std::vector<cluster_sum> total(clusters_);
        for (std::size_t i = 0; i < sums_.size(); ++i) {
            total[i % clusters_].add(sums_[i]);
            sums_[i] = {};
        }
        return total;
    }

private:
    struct alignas(64) padded_lock {
        Lock lock;
    };

    std::size_t clusters_;
    std::size_t dimensions_;
    std::size_t workers_;
    std::size_t locks_each_;
    std::size_t replicas_;
    std::vector<padded_lock> locks_;
    std::vector<cluster_sum> sums_;
};

// One pass over the points as its work units see it.
template <class Lock>
struct shared_pass {
    const point_set& points;
    const centres& from;
    assignment& clusters;
    partial_sums<Lock>& sums;

    void run(std::size_t first, std::size_t last, std::size_t worker) const {
        for (std::size_t i = first; i < last; ++i) {
            const std::size_t nearest = from.nearest(points[i]);
            clusters[i] = static_cast<std::uint8_t>(nearest);
            sums.add(worker, nearest, points[i]);
        }
    }
};

}  // namespace kmeans
