// SPDX-License-Identifier: BSD-3-Clause
// The same numbers with every standard library, which those of <random> are not.
#pragma once

#include "apps/cedar/vector3.hpp"

#include <cstdint>
#include <numbers>

namespace cedar {

class random_numbers {
public:
    explicit random_numbers(std::uint64_t seed) : state_(seed) {}

    // SplitMix64.
    std::uint64_t bits() {
        state_ += 0x9e3779b97f4a7c15U;
        std::uint64_t mixed = state_;
        mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
        mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
        return mixed ^ (mixed >> 31U);
    }

    double between(double low, double high) {
        return low + (high - low) * (static_cast<double>(bits() >> 11U) * 0x1p-53);
    }

    // Of variance 1, by Box and Muller.
    double normal() {
        const double radius = std::sqrt(-2 * std::log(1 - between(0, 1)));
        return radius * std::cos(between(0, 2 * std::numbers::pi));
    }

    vector3 normal_vector() {
        const double x = normal();
        const double y = normal();
        return {x, y, normal()};
    }

    vector3 direction() { return unit(normal_vector()); }

private:
    std::uint64_t state_;
};

}  // namespace cedar
