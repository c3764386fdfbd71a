// SPDX-License-Identifier: BSD-3-Clause
#include "apps/radiosity/canvas.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace radiosity {
namespace {

constexpr double nearest = 1;  // what is nearer to the camera is cut off

vertex between(const vertex& a, const vertex& b, double t) {
    return {a.at + t * (b.at - a.at), (1 - t) * a.light + t * b.light};
}

// z is the distance along the view.
std::vector<vertex> cut_off_what_is_too_near(const std::vector<vertex>& convex) {
    std::vector<vertex> part;
    for (std::size_t i = 0; i < convex.size(); ++i) {
        const vertex& here = convex[i];
        const vertex& next = convex[(i + 1) % convex.size()];
        if (here.at.z >= nearest) {
            part.push_back(here);
        }
        if ((here.at.z >= nearest) != (next.at.z >= nearest)) {
            part.push_back(between(here, next, (nearest - here.at.z) / (next.at.z - here.at.z)));
        }
    }
    return part;
}

// Returns the first pixel of the picture that has its centre at or after a coordinate.
std::size_t first_pixel(double coordinate, std::size_t size) {
    return static_cast<std::size_t>(
        std::clamp(std::ceil(coordinate - 0.5), 0.0, static_cast<double>(size)));
}

}  // namespace

canvas::canvas(const camera& from, std::size_t width, std::size_t height)
    : width_(width),
      height_(height),
      eye_(from.eye),
      forward_(unit(from.target - from.eye)),
      scale_(static_cast<double>(width) / 2 / std::tan(from.angle / 2 * std::numbers::pi / 180)),
      lights_(width * height),
      closest_(width * height, 0) {
    right_ = unit(cross(forward_, {0, 0, 1}));
    up_ = cross(right_, forward_);
}

vertex canvas::seen(const vertex& one) const {
    const vec3 way = one.at - eye_;
    return {{dot(way, right_), dot(way, up_), dot(way, forward_)}, one.light};
}

canvas::spot canvas::project(const vertex& seen) const {
    const double closeness = 1 / seen.at.z;
    return {static_cast<double>(width_) / 2 + scale_ * seen.at.x * closeness,
            static_cast<double>(height_) / 2 - scale_ * seen.at.y * closeness, closeness,
            closeness * seen.light};
}

void canvas::fill(const std::vector<vertex>& convex) {
    std::vector<vertex> from_here;
    from_here.reserve(convex.size());
    for (const vertex& one : convex) {
        from_here.push_back(seen(one));
    }
    std::vector<spot> spots;
    for (const vertex& one : cut_off_what_is_too_near(from_here)) {
        spots.push_back(project(one));
    }
    for (std::size_t i = 2; i < spots.size(); ++i) {
        fill(spots[0], spots[i - 1], spots[i]);
    }
}

// A pixel belongs to the triangle if its centre does: then its share of each corner is not
// negative.
void canvas::fill(const spot& a, const spot& b, const spot& c) {
    const double twice_area = (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
    if (twice_area == 0) {
        return;
    }
    const std::size_t last_y = first_pixel(std::max({a.y, b.y, c.y}), height_);
    const std::size_t last_x = first_pixel(std::max({a.x, b.x, c.x}), width_);
    const std::size_t first_x = first_pixel(std::min({a.x, b.x, c.x}), width_);
    for (std::size_t y = first_pixel(std::min({a.y, b.y, c.y}), height_); y < last_y; ++y) {
        for (std::size_t x = first_x; x < last_x; ++x) {
            const double px = static_cast<double>(x) + 0.5;
            const double py = static_cast<double>(y) + 0.5;
            const double of_b = ((px - a.x) * (c.y - a.y) - (c.x - a.x) * (py - a.y)) / twice_area;
            const double of_c = ((b.x - a.x) * (py - a.y) - (px - a.x) * (b.y - a.y)) / twice_area;
            const double of_a = 1 - of_b - of_c;
            if (of_a >= 0 && of_b >= 0 && of_c >= 0) {
                const double closeness =
                    of_a * a.closeness + of_b * b.closeness + of_c * c.closeness;
                put(x, y, closeness,
                    (1 / closeness) * (of_a * a.weighted + of_b * b.weighted + of_c * c.weighted));
            }
        }
    }
}

void canvas::put(std::size_t x, std::size_t y, double closeness, const colour& light) {
    const std::size_t at = y * width_ + x;
    if (closeness > closest_[at]) {
        closest_[at] = closeness;
        lights_[at] = light;
    }
}

}  // namespace radiosity
