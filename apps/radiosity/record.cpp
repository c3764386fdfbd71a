// SPDX-License-Identifier: BSD-3-Clause
#include "apps/radiosity/record.hpp"

#include <algorithm>

namespace radiosity {

record record_of(const triangle& corners, const colour& reflectance, const colour& emittance,
                 std::uint32_t patch) {
    return {corners, plane_of(corners), area(corners), emittance, reflectance, emittance, patch};
}

record quarter(const record& of, std::size_t index) {
    record part = of;
    part.corners = quarters(of.corners)[index];
    part.area = of.area / 4;
    return part;
}

namespace {

bool is_behind(const triangle& corners, const plane& of) {
    return std::ranges::all_of(
        corners, [&](const vec3& corner) { return distance(of, corner) <= plane_thickness; });
}

}  // namespace

bool completely_invisible(const record& a, const record& b) {
    return is_behind(a.corners, b.in) || is_behind(b.corners, a.in);
}

}  // namespace radiosity
