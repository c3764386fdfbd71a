// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace lazult::tool {

// Of a sorted, non-empty list: the smallest value that at least `share` of all do not exceed.
inline double quantile(const std::vector<double>& sorted, double share) {
    const double rank = std::ceil(share * static_cast<double>(sorted.size()));
    const auto index = static_cast<std::size_t>(std::max(rank, 1.0)) - 1;
    return sorted[std::min(index, sorted.size() - 1)];
}

inline double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 != 0 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

inline double smallest(const std::vector<double>& values) {
    return *std::min_element(values.begin(), values.end());
}
inline double largest(const std::vector<double>& values) {
    return *std::max_element(values.begin(), values.end());
}

}  // namespace lazult::tool
