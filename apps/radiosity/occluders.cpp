// SPDX-License-Identifier: BSD-3-Clause
#include "apps/radiosity/occluders.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace radiosity {
namespace {

constexpr double beyond_the_ends = 0.01;
// Rays that meet the edge between two triangles must not slip through.
constexpr double edge_thickness = 1e-6;
// Pieces stick out of their half-spaces by plane_thickness; the rest is for rounding.
constexpr double half_space_thickness = 1.2 * plane_thickness;

struct sides {
    bool front = false;
    bool back = false;
};

sides sides_of(const std::vector<vec3>& piece, const plane& cut) {
    sides found;
    for (const vec3& corner : piece) {
        const double at = distance(cut, corner);
        found.front |= at > plane_thickness;
        found.back |= at < -plane_thickness;
    }
    return found;
}

// The part of a convex polygon in front of a plane.
std::vector<vec3> clip(const std::vector<vec3>& piece, const plane& cut) {
    std::vector<vec3> part;
    for (std::size_t i = 0; i < piece.size(); ++i) {
        const vec3& here = piece[i];
        const vec3& next = piece[(i + 1) % piece.size()];
        const double at = distance(cut, here);
        const double then = distance(cut, next);
        if (at >= 0) {
            part.push_back(here);
        }
        if ((at > 0 && then < 0) || (at < 0 && then > 0)) {
            part.push_back(here + (at / (at - then)) * (next - here));
        }
    }
    return part;
}

plane reversed(const plane& of) { return {-1.0 * of.normal, -of.offset}; }

}  // namespace

ray ray_between(const vec3& from, const record& from_element, const vec3& to,
                const record& to_element) {
    const vec3 way = to - from;
    const double leaving = std::abs(dot(way, from_element.in.normal));
    const double arriving = std::abs(dot(way, to_element.in.normal));
    const double before = std::min(beyond_the_ends, plane_thickness / leaving);
    const double after = std::min(beyond_the_ends, plane_thickness / arriving);
    return {from, way, -before, 1 + after, from_element.patch, to_element.patch};
}

void occluders::insert(const record& patch) {
    prism solid{patch.in, {}};
    for (std::size_t i = 0; i < 3; ++i) {
        const vec3& here = patch.corners[i];
        const vec3 inwards = unit(cross(patch.in.normal, patch.corners[(i + 1) % 3] - here));
        solid.sides[i] = {inwards, -dot(inwards, here)};
    }
    const auto number = static_cast<std::uint32_t>(patches_.size());
    patches_.push_back(solid);
    insert_piece({patch.corners.begin(), patch.corners.end()}, number);
}

std::uint32_t occluders::add_node(std::uint32_t patch) {
    nodes_.push_back({patches_[patch].base, patch, none, none, none});
    return static_cast<std::uint32_t>(nodes_.size() - 1);
}

void occluders::add_coplanar(std::uint32_t at, std::uint32_t patch) {
    const std::uint32_t added = add_node(patch);
    nodes_[added].coplanar = nodes_[at].coplanar;
    nodes_[at].coplanar = added;
}

void occluders::insert_piece(const polygon& piece, std::uint32_t patch) {
    if (nodes_.empty()) {
        add_node(patch);
        return;
    }
    struct place {
        polygon piece;
        std::uint32_t at;
    };
    std::vector<place> places{{piece, 0}};
    while (!places.empty()) {
        const place now = std::move(places.back());
        places.pop_back();
        const plane cut = nodes_[now.at].cut;
        const sides on = sides_of(now.piece, cut);
        const auto descend = [&](std::uint32_t node::* side, polygon part) {
            if (nodes_[now.at].*side == none) {
                const std::uint32_t added = add_node(patch);
                nodes_[now.at].*side = added;
            } else {
                places.push_back({std::move(part), nodes_[now.at].*side});
            }
        };
        if (!on.front && !on.back) {
            add_coplanar(now.at, patch);
        }
        if (on.front) {
            descend(&node::front, on.back ? clip(now.piece, cut) : now.piece);
        }
        if (on.back) {
            descend(&node::back, on.front ? clip(now.piece, reversed(cut)) : now.piece);
        }
    }
}

bool occluders::stops(std::uint32_t patch, const ray& r) const {
    if (patch == r.from_patch || patch == r.to_patch) {
        return false;
    }
    const prism& solid = patches_[patch];
    const double approach = dot(solid.base.normal, r.way);
    const double t = -distance(solid.base, r.origin) / approach;
    if (!(t >= r.first && t <= r.last)) {  // also if the ray is in its plane
        return false;
    }
    const vec3 point = r.origin + t * r.way;
    return distance(solid.sides[0], point) >= -edge_thickness &&
           distance(solid.sides[1], point) >= -edge_thickness &&
           distance(solid.sides[2], point) >= -edge_thickness;
}

std::uint32_t occluders::find_at(std::uint32_t at, const ray& r) const {
    for (; at != none; at = nodes_[at].coplanar) {
        if (stops(nodes_[at].patch, r)) {
            return nodes_[at].patch;
        }
    }
    return none;
}

// Each half-space gets the part of the stretch in it. The one where that begins is the near one.
occluders::halves occluders::divide(const stretch& whole, double start, double slope,
                                    const node& by) {
    const bool forwards = slope >= 0;
    halves parts{{forwards ? by.back : by.front, whole.first, whole.last},
                 {forwards ? by.front : by.back, whole.first, whole.last}};
    const double middle = -start / slope;
    const double margin = half_space_thickness / std::abs(slope);
    if (std::isfinite(middle) && std::isfinite(margin)) {
        parts.near.last = std::min(whole.last, middle + margin);
        parts.far.first = std::max(whole.first, middle - margin);
    }
    return parts;
}

// Follows the stretch down to where it crosses a plane, or to none.
const occluders::node* occluders::descend(stretch& now, const ray& r, double& start, double& slope,
                                          std::uint64_t& nodes) const {
    for (; now.node != none; ++nodes) {
        const node& here = nodes_[now.node];
        start = distance(here.cut, r.origin);
        slope = dot(here.cut.normal, r.way);
        const double at_first = start + now.first * slope;
        const double at_last = start + now.last * slope;
        if (std::min(at_first, at_last) > half_space_thickness) {
            now.node = here.front;
        } else if (std::max(at_first, at_last) < -half_space_thickness) {
            now.node = here.back;
        } else {
            ++nodes;
            return &here;
        }
    }
    return nullptr;
}

// Looks at what is near first. Where the list of what is left is full, it calls itself.
std::uint32_t occluders::find_below(stretch now, const ray& r, std::uint64_t& nodes) const {
    std::array<stretch, 32> later;
    std::size_t left = 0;
    for (;;) {
        double start = 0;
        double slope = 0;
        if (const node* crossed = descend(now, r, start, slope, nodes)) {
            const halves parts = divide(now, start, slope, *crossed);
            std::uint32_t found = find_at(now.node, r);
            if (found == none && left == later.size()) {
                found = find_below(parts.far, r, nodes);
            }
            if (found != none) {
                return found;
            }
            if (left < later.size()) {
                later[left++] = parts.far;
            }
            now = parts.near;
        } else if (left == 0) {
            return none;
        } else {
            now = later[--left];
        }
    }
}

std::uint32_t occluders::find(const ray& r, std::uint64_t& nodes) const {
    return nodes_.empty() ? none : find_below({0, r.first, r.last}, r, nodes);
}

}  // namespace radiosity
