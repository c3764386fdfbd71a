// SPDX-License-Identifier: BSD-3-Clause
#include "apps/radiosity/form_factor.hpp"

#include <algorithm>
#include <array>
#include <numbers>

namespace radiosity {

double point_to_disc(const vec3& from, const vec3& from_normal, const vec3& to,
                     const vec3& to_normal, double area) {
    const vec3 way = to - from;
    const double leaving = dot(way, from_normal);
    const double arriving = -dot(way, to_normal);
    if (leaving <= 0 || arriving <= 0) {
        return 0;
    }
    // The two dot products are cosines times the distance.
    const double squared = dot(way, way);
    return leaving * arriving * area / (squared * (std::numbers::pi * squared + area));
}

namespace {

// An element as a target: four discs.
struct discs {
    std::array<vec3, 4> middles;
    vec3 normal;
    double area;
};

double point_to_discs(const vec3& from, const vec3& normal, const discs& to) {
    double total = 0;
    for (const vec3& middle : to.middles) {
        total += point_to_disc(from, normal, middle, to.normal, to.area);
    }
    return total;
}

}  // namespace

form_factor form_factor_between(const record& from, const record& to) {
    const discs target{centroids_of_quarters(to.corners), to.in.normal, to.area / 4};
    const auto value_at = [&](const vec3& point) {
        return point_to_discs(point, from.in.normal, target);
    };
    const std::array<vec3, 4> points = centroids_of_quarters(from.corners);
    const double at_centroid = value_at(points[0]);
    const double value =
        (at_centroid + value_at(points[1]) + value_at(points[2]) + value_at(points[3])) / 4;
    double least = at_centroid;
    double most = at_centroid;
    for (const vec3& corner : from.corners) {
        const double at_corner = value_at(corner);
        least = std::min(least, at_corner);
        most = std::max(most, at_corner);
    }
    return {value, std::max(most - value, value - least)};
}

}  // namespace radiosity
