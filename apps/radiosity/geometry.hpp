// SPDX-License-Identifier: BSD-3-Clause
// Points, planes and triangles.
#pragma once

#include <array>

namespace radiosity {

struct vec3 {
    double x, y, z;
};

constexpr vec3 operator+(const vec3& a, const vec3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
constexpr vec3 operator-(const vec3& a, const vec3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
constexpr vec3 operator*(double s, const vec3& a) { return {s * a.x, s * a.y, s * a.z}; }
constexpr bool operator==(const vec3& a, const vec3& b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}
constexpr double dot(const vec3& a, const vec3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
constexpr vec3 cross(const vec3& a, const vec3& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
// The result does not depend on the order of the two, so neighbours find the same point.
constexpr vec3 midpoint(const vec3& a, const vec3& b) { return 0.5 * (a + b); }
double length(const vec3& a);
vec3 unit(const vec3& a);

// The points p with dot(normal, p) + offset = 0; the normal has length 1.
struct plane {
    vec3 normal;
    double offset;
};
constexpr double distance(const plane& from, const vec3& p) {
    return dot(from.normal, p) + from.offset;
}
// A point that is nearer to a plane than this lies on it.
inline constexpr double plane_thickness = 0.05;

// The corners are in anticlockwise order for those in front of it.
using triangle = std::array<vec3, 3>;

plane plane_of(const triangle& t);
double area(const triangle& t);
vec3 centroid(const triangle& t);
// The quarters between the midpoints of the edges: centre, top, left, right.
std::array<triangle, 4> quarters(const triangle& t);
// Their centroids. The first is that of the triangle itself.
std::array<vec3, 4> centroids_of_quarters(const triangle& t);

}  // namespace radiosity
