// SPDX-License-Identifier: BSD-3-Clause
// k-means: what every variant shares. A variant differs only in how it runs one pass over the
// points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "apps/kmeans/points.hpp"

namespace kmeans {

class centres {
public:
    centres(std::size_t clusters, std::size_t dimensions);

    void set(std::size_t cluster, std::size_t dimension, std::int32_t value);
    std::int32_t get(std::size_t cluster, std::size_t dimension) const;
    std::size_t clusters() const { return clusters_; }
    std::size_t dimensions() const { return dimensions_; }

    // The lowest number wins among equally near clusters.
    std::size_t nearest(const std::int32_t* point) const;

    // Moves each centre to its points' mean; one without points stays. False if none moved.
    bool update(const std::vector<cluster_sum>& sums);

    bool operator==(const centres&) const = default;

private:
    std::size_t clusters_;
    std::size_t dimensions_;
    // One dimension after the other, so that the distances to all clusters are computed side by
    // side.
    std::vector<double> values_;
};

struct problem {
    point_set points;
    std::size_t clusters;
    std::size_t max_iterations;
    std::uint64_t seed;
};

using assignment = std::vector<std::uint8_t>;  // each point's cluster

struct result {
    centres final_centres;
    assignment clusters;
    std::size_t iterations;
    bool stable;  // the last iteration moved no centre

    bool operator==(const result&) const = default;
};

// Distinct points, drawn with the seed.
centres initial_centres(const problem& of);

// Assigns every point to its nearest centre and returns the sums of each cluster.
using pass_function = std::function<std::vector<cluster_sum>(const centres&, assignment&)>;

result solve(const problem& of, const pass_function& pass);

std::vector<cluster_sum> sequential_pass(const point_set& points, const centres& from,
                                         assignment& clusters);

}  // namespace kmeans
