// SPDX-License-Identifier: BSD-3-Clause
#include "apps/cedar/water.hpp"

#include "apps/cedar/random.hpp"
#include "apps/cedar/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace cedar {
namespace {

constexpr double oxygen_mass = 15.9994;
constexpr double hydrogen_mass = 1.008;
constexpr double spring_stiffness = 3.5e5;  // kJ/mol/nm^2
constexpr double jitter = 0.02;             // nm, along each axis
constexpr double least_from_chain = 0.25;   // nm

struct lattice_site {
    std::size_t number;
    vector3 place;
    double from_chain;
};

double distance_from(std::span<const vector3> beads, const vector3& point, double box_edge) {
    double least = std::numeric_limits<double>::infinity();
    for (const vector3& bead : beads) {
        vector3 apart = bead - point;
        apart.x -= box_edge * std::round(apart.x / box_edge);
        apart.y -= box_edge * std::round(apart.y / box_edge);
        apart.z -= box_edge * std::round(apart.z / box_edge);
        least = std::min(least, square(apart));
    }
    return std::sqrt(least);
}

std::vector<lattice_site> lattice(std::size_t across, double box_edge,
                                  std::span<const vector3> beads, random_numbers& random) {
    std::vector<lattice_site> sites;
    const double spacing = box_edge / static_cast<double>(across);
    const auto along = [&](std::size_t step) {
        return (static_cast<double>(step) + 0.5) * spacing + random.between(-jitter, jitter);
    };
    for (std::size_t x = 0; x < across; ++x) {
        for (std::size_t y = 0; y < across; ++y) {
            for (std::size_t z = 0; z < across; ++z) {
                const vector3 place{along(x), along(y), along(z)};
                sites.push_back({sites.size(), place, distance_from(beads, place, box_edge)});
            }
        }
    }
    return sites;
}

// The coarsest lattice that has enough sites far enough from the chain: as many as are wanted,
// those that are farthest from it.
std::vector<lattice_site> choose_sites(index waters, double box_edge,
                                       std::span<const vector3> beads, random_numbers& random) {
    for (std::size_t across = 1;; ++across) {
        if (across * across * across < waters) {
            continue;
        }
        std::vector<lattice_site> sites = lattice(across, box_edge, beads, random);
        std::ranges::sort(sites, [](const lattice_site& a, const lattice_site& b) {
            return std::pair(b.from_chain, a.number) < std::pair(a.from_chain, b.number);
        });
        sites.resize(waters);
        if (waters == 0 || sites.back().from_chain > least_from_chain) {
            return sites;
        }
    }
}

}  // namespace

double water_volume(index waters) {
    return waters * water_mass / (water_density * gram_per_cubic_centimetre);
}

topology water_topology(index waters) {
    topology result;
    const double between_hydrogens = 2 * water_bond * std::sin(degrees(water_angle) / 2);
    for (index number = 0; number < waters; ++number) {
        const index first = 3 * number;
        const auto name = [&](const char* which) {
            return fmt::format("{} of water {}", which, number);
        };
        result.atoms.push_back({name("O"), oxygen_mass, -0.82, 0.3166, 0.65});
        result.atoms.push_back({name("H1"), hydrogen_mass, 0.41, 0, 0});
        result.atoms.push_back({name("H2"), hydrogen_mass, 0.41, 0, 0});
        result.bonds.push_back({first, first + 1, water_bond, spring_stiffness});
        result.bonds.push_back({first, first + 2, water_bond, spring_stiffness});
        result.bonds.push_back({first + 1, first + 2, between_hydrogens, spring_stiffness});
        result.groups.push_back({first, 3, true});
        result.molecules.push_back({first, 3, first, 3});
    }
    result.exclude_neighbours();
    return result;
}

std::vector<vector3> place_waters(index waters, double box_edge, std::span<const vector3> beads,
                                  std::uint64_t seed) {
    random_numbers random(seed ^ 0x3a7e5U);
    std::vector<lattice_site> sites = choose_sites(waters, box_edge, beads, random);
    std::vector<vector3> positions;
    const double half_angle = degrees(water_angle) / 2;
    for (const lattice_site& each : sites) {
        const vector3 axis = random.direction();
        const vector3 side = unit(cross(axis, random.direction()));
        const vector3 middle = water_bond * std::cos(half_angle) * axis;
        const vector3 to_side = water_bond * std::sin(half_angle) * side;
        positions.push_back(each.place);
        positions.push_back(each.place + middle + to_side);
        positions.push_back(each.place + middle - to_side);
    }
    return positions;
}

}  // namespace cedar
