// SPDX-License-Identifier: BSD-3-Clause
// Times of single operations, and their percentiles.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <vector>

namespace lazult::bench {

inline std::int64_t now_ns() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

class latencies {
public:
    explicit latencies(std::size_t expected = 0) { found_.reserve(expected); }

    void add(std::int64_t ns) {
        constexpr std::int64_t most = std::numeric_limits<std::uint32_t>::max();
        found_.push_back(static_cast<std::uint32_t>(std::min(ns, most)));
    }
    void add(const latencies& others) {
        found_.insert(found_.end(), others.found_.begin(), others.found_.end());
    }
    std::size_t count() const { return found_.size(); }

    double quantile_us(double share) {
        if (found_.empty()) {
            return 0;
        }
        const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(count() - 1));
        std::nth_element(found_.begin(), found_.begin() + at, found_.end());
        return found_[static_cast<std::size_t>(at)] / 1000.0;
    }

private:
    std::vector<std::uint32_t> found_;  // nanoseconds
};

// A function of numbers that looks random: Steele et al., Fast splittable pseudorandom number
// generators, 2014.
inline std::uint64_t mixed(std::uint64_t number) {
    number += 0x9e3779b97f4a7c15;
    number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
    number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
    return number ^ (number >> 31);
}

}  // namespace lazult::bench
