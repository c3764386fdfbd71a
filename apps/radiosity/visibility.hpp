// SPDX-License-Identifier: BSD-3-Clause
// Which share of the rays between two elements is stopped by no patch.
#pragma once

#include <cstdint>

#include "apps/radiosity/occluders.hpp"
#include "apps/radiosity/record.hpp"

namespace radiosity {

// What was computed for visibilities.
struct ray_work {
    std::uint64_t elements = 0;  // pairs of them
    std::uint64_t rays = 0;
    std::uint64_t nodes = 0;  // of the BSP tree, which rays have come to
};

// Between 0 and 1. Does not suspend its caller. Adds to `done`.
double visibility_between(const record& from, const record& to, const occluders& among,
                          ray_work& done);
double visibility_between(const record& from, const record& to, const occluders& among);

}  // namespace radiosity
