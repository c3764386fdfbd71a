// SPDX-License-Identifier: BSD-3-Clause
// What others read of an element. It can be copied as bytes, so it can be sent to another rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "apps/radiosity/colour.hpp"
#include "apps/radiosity/geometry.hpp"

namespace radiosity {

struct record {
    triangle corners;
    plane in;
    double area;
    colour radiosity;  // of the last iteration
    colour reflectance;
    colour emittance;
    std::uint32_t patch;  // the number of the input triangle that it is a part of
};
static_assert(std::is_trivially_copyable_v<record>);

record record_of(const triangle& corners, const colour& reflectance, const colour& emittance,
                 std::uint32_t patch);
// One of the four quarters. It inherits the radiosity.
record quarter(const record& of, std::size_t index);

// All corners of one are behind the plane of the other, so no light goes from one to the other.
bool completely_invisible(const record& a, const record& b);

}  // namespace radiosity
