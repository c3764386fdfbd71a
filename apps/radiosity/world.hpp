// SPDX-License-Identifier: BSD-3-Clause
// A scene as it is computed: patches as occluders, and the elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "apps/radiosity/element.hpp"
#include "apps/radiosity/occluders.hpp"
#include "apps/radiosity/record.hpp"
#include "apps/radiosity/scene.hpp"

namespace radiosity {

// The input triangles of a scene: a rectangle makes two.
std::vector<record> patches_of(const scene& of);

struct world {
    explicit world(const scene& of);

    occluders among;
    std::vector<std::unique_ptr<element>> roots;  // one to a patch, in the order of their numbers
};

// Sums between iterations, over one tree or several.
struct census {
    std::size_t elements = 0;
    std::size_t leaves = 0;
    std::size_t interactions = 0;
    std::uint64_t visibilities = 0;  // computed so far
    std::uint64_t checksum = 0;      // of the bits of all radiosities
    // The checksum depends on the order.
    void append(const census& next);
    // Of one more element.
    void append(const colour& light, std::size_t its_interactions, std::uint64_t its_visibilities,
                bool is_leaf);
};
census count(element& root);
census count(const world& all);  // tree by tree

double total_energy(const world& all);

// What all leaves emit and what they absorb, of all colours. They are the same in a closed room.
struct balance {
    double emitted = 0;
    double absorbed = 0;
};
balance balance_of(const world& all);

}  // namespace radiosity
