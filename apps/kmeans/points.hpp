// SPDX-License-Identifier: BSD-3-Clause
// Points in fixed point. Sums of integers do not depend on the order of the additions, so every way
// to run the program must give the very same clusters, and a lost or doubled update cannot hide in
// rounding.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kmeans {

// A cluster's sum is its count and 15 coordinates: two cache lines.
inline constexpr std::size_t max_dimensions = 15;
inline constexpr std::size_t max_clusters = 64;
inline constexpr int fraction_bits = 12;

// Distances are computed in doubles that hold whole numbers, exact below 2^53. Coordinates within
// 2^23 give differences below 2^24 and squares below 2^48; 15 of them stay below 2^52.
inline constexpr std::int32_t max_coordinate = 1 << 23;

class point_set {
public:
    // Throws std::invalid_argument where a value does not fit or the count is no multiple of the
    // dimensions.
    point_set(std::span<const double> values, std::size_t dimensions);

    std::size_t count() const { return coordinates_.size() / dimensions_; }
    std::size_t dimensions() const { return dimensions_; }
    const std::int32_t* operator[](std::size_t index) const {
        return &coordinates_[index * dimensions_];
    }

private:
    std::size_t dimensions_;
    std::vector<std::int32_t> coordinates_;
};

struct alignas(64) cluster_sum {
    std::int64_t count = 0;
    std::array<std::int64_t, max_dimensions> coordinates{};

    void add(const std::int32_t* point, std::size_t dimensions) {
        ++count;
        for (std::size_t d = 0; d < dimensions; ++d) {
            coordinates[d] += point[d];
        }
    }

    void add(const cluster_sum& other) {
        count += other.count;
        for (std::size_t d = 0; d < max_dimensions; ++d) {
            coordinates[d] += other.coordinates[d];
        }
    }
};

}  // namespace kmeans
