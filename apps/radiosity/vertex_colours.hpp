// SPDX-License-Identifier: BSD-3-Clause
// The radiosity at the corners of leaves: the mean of the leaves that meet there, by their areas.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <unordered_map>
#include <vector>

#include "apps/radiosity/canvas.hpp"
#include "apps/radiosity/record.hpp"
#include "apps/radiosity/world.hpp"

namespace radiosity {

class vertex_colours {
public:
    explicit vertex_colours(const world& of);

    // The outline of a leaf. Has a vertex also where a smaller neighbour has one on its edge, so
    // that colours do not jump there.
    std::vector<vertex> outline(const record& leaf) const;

private:
    // Leaves share a vertex if it is at the same point and if they are alike: not across an edge of
    // the room.
    using key = std::array<double, 9>;
    struct hash {
        std::size_t operator()(const key& of) const;
    };

    static key key_of(const vec3& point, const record& leaf);
    std::optional<colour> find(const vec3& point, const record& leaf) const;
    void add_between(std::vector<vertex>& line, const vec3& from, const vec3& to,
                     const record& leaf) const;

    struct share {
        colour light;
        double area;
    };
    std::unordered_map<key, share, hash> shares_;
};

}  // namespace radiosity
