// SPDX-License-Identifier: BSD-3-Clause
// Scenes: rectangles and triangles that reflect and emit, and a camera. z points upwards.
#pragma once

#include <string>
#include <vector>

#include "apps/radiosity/colour.hpp"
#include "apps/radiosity/geometry.hpp"

namespace radiosity {

// Three corners, or the four of a rectangle; anticlockwise for those in front of it.
struct polygon {
    std::vector<vec3> corners;
    colour reflectance;
    colour emittance;
};

struct camera {
    vec3 eye;
    vec3 target;
    double angle;  // that the picture's width covers, in degrees
};

struct scene {
    std::vector<polygon> polygons;
    camera from;
};

// box: five walls, a table, a light. white: a closed box with a ceiling that emits.
// room, largeroom: furnished by hand. furnished:N:SEED: a room with N pieces at random.
// Throws std::invalid_argument, which says what names there are.
scene make_scene(const std::string& name);

}  // namespace radiosity
