// SPDX-License-Identifier: BSD-3-Clause
// Puts solids together to a scene.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "apps/radiosity/scene.hpp"

namespace radiosity {

struct material {
    colour reflectance;
    colour emittance{};
};

// A box with faces parallel to the axes.
struct extent {
    vec3 low;
    vec3 high;
};

// Which faces of a cuboid there are: bottom, top, low x, high x, low y, high y.
using faces = std::array<bool, 6>;
inline constexpr faces all_faces{true, true, true, true, true, true};
inline constexpr faces without_bottom{false, true, true, true, true, true};
inline constexpr faces upright_faces{false, false, true, true, true, true};

class builder {
public:
    // What follows is turned about the z axis, and then moved there.
    void place(const vec3& origin, double degrees);

    void triangle_of(const vec3& a, const vec3& b, const vec3& c, const material& of);
    void rectangle(const vec3& a, const vec3& b, const vec3& c, const vec3& d, const material& of);
    void cuboid(const extent& size, const material& of, const faces& present);
    // A cuboid seen from within.
    void walls(const extent& size, const std::array<material, 6>& of, const faces& present);
    // A square base of this width (which is left out), and an apex.
    void pyramid(const vec3& base, double width, double height, const material& of);
    void octahedron(const vec3& middle, double radius, const material& of);
    void icosahedron(const vec3& middle, double radius, const material& of);

    std::vector<polygon> take() { return std::move(polygons_); }

private:
    vec3 placed(const vec3& point) const;
    void outward_triangle(const vec3& middle, triangle corners, const material& of);

    vec3 origin_{};
    double cosine_ = 1;
    double sine_ = 0;
    std::vector<polygon> polygons_;
};

}  // namespace radiosity
