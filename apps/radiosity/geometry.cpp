// SPDX-License-Identifier: BSD-3-Clause
#include "apps/radiosity/geometry.hpp"

#include <cmath>

namespace radiosity {

double length(const vec3& a) { return std::sqrt(dot(a, a)); }
vec3 unit(const vec3& a) { return (1 / length(a)) * a; }

plane plane_of(const triangle& t) {
    const vec3 normal = unit(cross(t[1] - t[0], t[2] - t[0]));
    return {normal, -dot(normal, t[0])};
}

double area(const triangle& t) { return 0.5 * length(cross(t[1] - t[0], t[2] - t[0])); }

vec3 centroid(const triangle& t) { return (1.0 / 3) * (t[0] + t[1] + t[2]); }

std::array<triangle, 4> quarters(const triangle& t) {
    const vec3 left = midpoint(t[0], t[1]);
    const vec3 below = midpoint(t[1], t[2]);
    const vec3 right = midpoint(t[2], t[0]);
    return {{{left, below, right}, {t[0], left, right}, {left, t[1], below}, {right, below, t[2]}}};
}

std::array<vec3, 4> centroids_of_quarters(const triangle& t) {
    const vec3 middle = centroid(t);
    return {middle, midpoint(t[0], middle), midpoint(t[1], middle), midpoint(t[2], middle)};
}

}  // namespace radiosity
