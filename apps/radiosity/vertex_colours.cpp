// SPDX-License-Identifier: BSD-3-Clause
#include "apps/radiosity/vertex_colours.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

namespace radiosity {

std::size_t vertex_colours::hash::operator()(const key& of) const {
    std::uint64_t mixed = 0xcbf29ce484222325U;
    for (const double part : of) {
        mixed = (mixed ^ std::bit_cast<std::uint64_t>(part)) * 0x100000001b3U;
        mixed ^= mixed >> 32U;
    }
    return mixed;
}

// Normals of triangles in one plane may differ by rounding. Adding 0 makes 0 of -0.
vertex_colours::key vertex_colours::key_of(const vec3& point, const record& leaf) {
    const auto coarse = [](double part) { return std::round(part * 4096) + 0.0; };
    const vec3& normal = leaf.in.normal;
    const colour& paint = leaf.reflectance;
    return {point.x + 0.0,    point.y + 0.0, point.z + 0.0, coarse(normal.x), coarse(normal.y),
            coarse(normal.z), paint.red,     paint.green,   paint.blue};
}

vertex_colours::vertex_colours(const world& of) {
    for (const auto& root : of.roots) {
        for_each_element(*root, [&](const element& e) {
            if (e.children() == nullptr) {
                for (const vec3& corner : e.seen.corners) {
                    share& at = shares_[key_of(corner, e.seen)];
                    at.light = at.light + e.seen.area * e.seen.radiosity;
                    at.area += e.seen.area;
                }
            }
        });
    }
    for (auto& [where, at] : shares_) {
        at.light = (1 / at.area) * at.light;
    }
}

std::optional<colour> vertex_colours::find(const vec3& point, const record& leaf) const {
    const auto found = shares_.find(key_of(point, leaf));
    return found == shares_.end() ? std::nullopt : std::optional(found->second.light);
}

void vertex_colours::add_between(std::vector<vertex>& line, const vec3& from, const vec3& to,
                                 const record& leaf) const {
    const vec3 middle = midpoint(from, to);
    if (const std::optional<colour> light = find(middle, leaf)) {
        add_between(line, from, middle, leaf);
        line.push_back({middle, *light});
        add_between(line, middle, to, leaf);
    }
}

std::vector<vertex> vertex_colours::outline(const record& leaf) const {
    std::vector<vertex> line;
    for (std::size_t i = 0; i < 3; ++i) {
        const vec3& corner = leaf.corners[i];
        line.push_back({corner, find(corner, leaf).value_or(leaf.radiosity)});
        add_between(line, corner, leaf.corners[(i + 1) % 3], leaf);
    }
    return line;
}

}  // namespace radiosity
