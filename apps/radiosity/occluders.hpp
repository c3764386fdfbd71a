// SPDX-License-Identifier: BSD-3-Clause
// The input triangles ("patches") as occluders, in a BSP tree. It does not change once the scene is
// complete, so each rank may have a copy.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/radiosity/geometry.hpp"
#include "apps/radiosity/record.hpp"

namespace radiosity {

// The points origin + t * way for t from first to last. The patches at its ends do not stop it.
struct ray {
    vec3 origin;
    vec3 way;
    double first;
    double last;
    std::uint32_t from_patch;
    std::uint32_t to_patch;
};

// From a point of one element to a point of another, and 1 % beyond, but not behind their planes:
// what touches an element counts, and what is behind it does not.
ray ray_between(const vec3& from, const record& from_element, const vec3& to,
                const record& to_element);

class occluders {
public:
    static constexpr std::uint32_t none = UINT32_MAX;

    // Patches come in the order of their numbers, beginning with 0.
    void insert(const record& patch);
    std::size_t count() const { return patches_.size(); }
    // A patch that stops the ray, or none. Adds the nodes of the tree that it comes to.
    std::uint32_t find(const ray& r, std::uint64_t& nodes) const;
    bool stops(std::uint32_t patch, const ray& r) const;

private:
    using polygon = std::vector<vec3>;
    // A triangle, and a plane on each edge. The normals of these planes point inwards.
    struct prism {
        plane base;
        std::array<plane, 3> sides;
    };
    // A patch is at several nodes if planes of others cut it. Each stands for the whole patch.
    struct node {
        plane cut;
        std::uint32_t patch;
        std::uint32_t coplanar;  // another node, for a patch in the same plane
        std::uint32_t front;
        std::uint32_t back;
    };
    struct stretch {
        std::uint32_t node;
        double first;
        double last;
    };

    // What a plane makes of a stretch.
    struct halves {
        stretch near;
        stretch far;
    };

    void insert_piece(const polygon& piece, std::uint32_t patch);
    void add_coplanar(std::uint32_t at, std::uint32_t patch);
    std::uint32_t add_node(std::uint32_t patch);
    static halves divide(const stretch& whole, double start, double slope, const node& by);
    const node* descend(stretch& now, const ray& r, double& start, double& slope,
                        std::uint64_t& nodes) const;
    std::uint32_t find_at(std::uint32_t at, const ray& r) const;
    std::uint32_t find_below(stretch now, const ray& r, std::uint64_t& nodes) const;

    std::vector<prism> patches_;
    std::vector<node> nodes_;
};

}  // namespace radiosity
