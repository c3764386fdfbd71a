// SPDX-License-Identifier: BSD-3-Clause
#include "apps/radiosity/builder.hpp"

#include <cmath>
#include <numbers>
#include <utility>

namespace radiosity {
namespace {

// The faces of a cuboid by the numbers of its corners: bit 0 is high x, bit 1 high y, bit 2 high z.
// They are anticlockwise from outside.
using face = std::array<int, 4>;
constexpr std::array<face, 6> face_corners{
    {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 4, 6, 2}, {3, 7, 5, 1}, {1, 5, 4, 0}, {2, 6, 7, 3}}};

vec3 corner(const extent& of, int number) {
    return {(number & 1) != 0 ? of.high.x : of.low.x, (number & 2) != 0 ? of.high.y : of.low.y,
            (number & 4) != 0 ? of.high.z : of.low.z};
}

}  // namespace

void builder::place(const vec3& origin, double degrees) {
    origin_ = origin;
    const double angle = degrees * std::numbers::pi / 180;
    cosine_ = std::cos(angle);
    sine_ = std::sin(angle);
}

vec3 builder::placed(const vec3& point) const {
    const vec3 turned{cosine_ * point.x - sine_ * point.y, sine_ * point.x + cosine_ * point.y,
                      point.z};
    return origin_ + turned;
}

void builder::triangle_of(const vec3& a, const vec3& b, const vec3& c, const material& of) {
    polygons_.push_back({{placed(a), placed(b), placed(c)}, of.reflectance, of.emittance});
}

void builder::rectangle(const vec3& a, const vec3& b, const vec3& c, const vec3& d,
                        const material& of) {
    polygons_.push_back(
        {{placed(a), placed(b), placed(c), placed(d)}, of.reflectance, of.emittance});
}

void builder::cuboid(const extent& size, const material& of, const faces& present) {
    for (std::size_t i = 0; i < present.size(); ++i) {
        if (present[i]) {
            const face& at = face_corners[i];
            rectangle(corner(size, at[0]), corner(size, at[1]), corner(size, at[2]),
                      corner(size, at[3]), of);
        }
    }
}

void builder::walls(const extent& size, const std::array<material, 6>& of, const faces& present) {
    for (std::size_t i = 0; i < present.size(); ++i) {
        if (present[i]) {
            const face& at = face_corners[i];
            rectangle(corner(size, at[3]), corner(size, at[2]), corner(size, at[1]),
                      corner(size, at[0]), of[i]);
        }
    }
}

void builder::pyramid(const vec3& base, double width, double height, const material& of) {
    const double half = width / 2;
    const std::array<vec3, 4> around{{base + vec3{-half, -half, 0}, base + vec3{half, -half, 0},
                                      base + vec3{half, half, 0}, base + vec3{-half, half, 0}}};
    const vec3 apex = base + vec3{0, 0, height};
    for (std::size_t i = 0; i < 4; ++i) {
        triangle_of(around[i], around[(i + 1) % 4], apex, of);
    }
}

void builder::outward_triangle(const vec3& middle, triangle corners, const material& of) {
    const vec3 normal = cross(corners[1] - corners[0], corners[2] - corners[0]);
    if (dot(normal, corners[0] - middle) < 0) {
        std::swap(corners[1], corners[2]);
    }
    triangle_of(corners[0], corners[1], corners[2], of);
}

void builder::octahedron(const vec3& middle, double radius, const material& of) {
    for (const double x : {-radius, radius}) {
        for (const double y : {-radius, radius}) {
            for (const double z : {-radius, radius}) {
                outward_triangle(
                    middle,
                    {middle + vec3{x, 0, 0}, middle + vec3{0, y, 0}, middle + vec3{0, 0, z}}, of);
            }
        }
    }
}

// Its corners are those of three golden rectangles. Twenty triples of them are as near to each
// other as neighbours are.
void builder::icosahedron(const vec3& middle, double radius, const material& of) {
    const double half = radius / std::sqrt(1 + std::numbers::phi * std::numbers::phi);
    std::vector<vec3> corners;
    for (const double a : {-half, half}) {
        for (const double b : {-half * std::numbers::phi, half * std::numbers::phi}) {
            corners.push_back(middle + vec3{0, a, b});
            corners.push_back(middle + vec3{a, b, 0});
            corners.push_back(middle + vec3{b, 0, a});
        }
    }
    const auto are_neighbours = [&](std::size_t i, std::size_t j) {
        return length(corners[i] - corners[j]) < 2.1 * half;
    };
    for (std::size_t i = 0; i < corners.size(); ++i) {
        for (std::size_t j = i + 1; j < corners.size(); ++j) {
            for (std::size_t k = j + 1; k < corners.size(); ++k) {
                if (are_neighbours(i, j) && are_neighbours(j, k) && are_neighbours(i, k)) {
                    outward_triangle(middle, {corners[i], corners[j], corners[k]}, of);
                }
            }
        }
    }
}

}  // namespace radiosity
