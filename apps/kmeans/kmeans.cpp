// SPDX-License-Identifier: BSD-3-Clause
#include "apps/kmeans/kmeans.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <string>

namespace kmeans {
namespace {

std::int32_t to_fixed_point(double value) {
    const double scaled = std::nearbyint(std::ldexp(value, fraction_bits));
    if (!(std::abs(scaled) < max_coordinate)) {
        throw std::invalid_argument("a coordinate does not fit: " + std::to_string(value));
    }
    return static_cast<std::int32_t>(scaled);
}

std::int32_t rounded_mean(std::int64_t sum, std::int64_t count) {
    const std::int64_t half = sum < 0 ? -count / 2 : count / 2;
    return static_cast<std::int32_t>((sum + half) / count);
}

void check(const problem& of) {
    if (of.clusters == 0 || of.clusters > max_clusters) {
        throw std::invalid_argument("clusters: 1 to " + std::to_string(max_clusters) +
                                    " are possible, not " + std::to_string(of.clusters));
    }
    if (of.points.count() < of.clusters) {
        throw std::invalid_argument("clusters: " + std::to_string(of.clusters) +
                                    " need as many points, there are " +
                                    std::to_string(of.points.count()));
    }
}

}  // namespace

point_set::point_set(std::span<const double> values, std::size_t dimensions)
    : dimensions_(dimensions) {
    if (dimensions == 0 || dimensions > max_dimensions || values.size() % dimensions != 0) {
        throw std::invalid_argument(std::to_string(values.size()) + " values are no points of " +
                                    std::to_string(dimensions) + " dimensions (1 to " +
                                    std::to_string(max_dimensions) + ")");
    }
    coordinates_.resize(values.size());
    std::ranges::transform(values, coordinates_.begin(), to_fixed_point);
}

centres::centres(std::size_t clusters, std::size_t dimensions)
    : clusters_(clusters), dimensions_(dimensions), values_(clusters * dimensions) {}

void centres::set(std::size_t cluster, std::size_t dimension, std::int32_t value) {
    values_[dimension * clusters_ + cluster] = value;
}

std::int32_t centres::get(std::size_t cluster, std::size_t dimension) const {
    return static_cast<std::int32_t>(values_[dimension * clusters_ + cluster]);
}

// Out of line, so that every variant runs the same machine code here and differs in its threading
// alone.
std::size_t centres::nearest(const std::int32_t* point) const {
    double distances[max_clusters] = {};
    const double* values = values_.data();
    for (std::size_t d = 0; d < dimensions_; ++d, values += clusters_) {
        const double coordinate = point[d];
        for (std::size_t k = 0; k < clusters_; ++k) {
            const double difference = coordinate - values[k];
            distances[k] += difference * difference;
        }
    }
    return static_cast<std::size_t>(std::min_element(distances, distances + clusters_) - distances);
}

bool centres::update(const std::vector<cluster_sum>& sums) {
    bool moved = false;
    for (std::size_t k = 0; k < clusters_; ++k) {
        for (std::size_t d = 0; d < dimensions_ && sums[k].count != 0; ++d) {
            const std::int32_t mean = rounded_mean(sums[k].coordinates[d], sums[k].count);
            moved = moved || mean != get(k, d);
            set(k, d, mean);
        }
    }
    return moved;
}

centres initial_centres(const problem& of) {
    check(of);
    // The engine's numbers are fixed by the standard; its distributions are not, hence the
    // remainder.
    std::mt19937_64 random(of.seed);
    std::vector<std::size_t> chosen;
    while (chosen.size() < of.clusters) {
        const std::size_t index = random() % of.points.count();
        if (std::ranges::find(chosen, index) == chosen.end()) {
            chosen.push_back(index);
        }
    }
    centres initial(of.clusters, of.points.dimensions());
    for (std::size_t k = 0; k < of.clusters; ++k) {
        for (std::size_t d = 0; d < of.points.dimensions(); ++d) {
            initial.set(k, d, of.points[chosen[k]][d]);
        }
    }
    return initial;
}

result solve(const problem& of, const pass_function& pass) {
    result found{initial_centres(of), assignment(of.points.count()), 0, false};
    while (found.iterations < of.max_iterations && !found.stable) {
        found.stable = !found.final_centres.update(pass(found.final_centres, found.clusters));
        ++found.iterations;
    }
    return found;
}

std::vector<cluster_sum> sequential_pass(const point_set& points, const centres& from,
                                         assignment& clusters) {
    std::vector<cluster_sum> sums(from.clusters());
    for (std::size_t i = 0; i < points.count(); ++i) {
        const std::size_t nearest = from.nearest(points[i]);
        clusters[i] = static_cast<std::uint8_t>(nearest);
        sums[nearest].add(points[i], points.dimensions());
    }
    return sums;
}

}  // namespace kmeans
