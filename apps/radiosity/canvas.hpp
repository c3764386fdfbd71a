// SPDX-License-Identifier: BSD-3-Clause
// Draws polygons with a colour at each corner, the nearest on top.
#pragma once

#include <cstddef>
#include <vector>

#include "apps/radiosity/colour.hpp"
#include "apps/radiosity/geometry.hpp"
#include "apps/radiosity/scene.hpp"

namespace radiosity {

struct vertex {
    vec3 at;
    colour light;
};

class canvas {
public:
    canvas(const camera& from, std::size_t width, std::size_t height);

    bool faces_camera(const plane& of) const { return distance(of, eye_) > 0; }
    void fill(const std::vector<vertex>& convex);

    std::size_t width() const { return width_; }
    std::size_t height() const { return height_; }
    // Line by line, from the top. Black where nothing was drawn.
    const std::vector<colour>& lights() const { return lights_; }

private:
    // x and y in pixels; closeness is one over the distance along the view. It is linear on the
    // picture, and so is light times closeness.
    struct spot {
        double x;
        double y;
        double closeness;
        colour weighted;
    };

    vertex seen(const vertex& one) const;
    spot project(const vertex& seen) const;
    void fill(const spot& a, const spot& b, const spot& c);
    void put(std::size_t x, std::size_t y, double closeness, const colour& light);

    std::size_t width_;
    std::size_t height_;
    vec3 eye_;
    vec3 right_;
    vec3 up_;
    vec3 forward_;
    double scale_;
    std::vector<colour> lights_;
    std::vector<double> closest_;
};

}  // namespace radiosity
