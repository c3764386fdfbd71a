// SPDX-License-Identifier: BSD-3-Clause
#include "apps/cedar/topology.hpp"

#include <algorithm>
#include <map>

namespace cedar {
namespace {

using neighbour_table = std::vector<std::vector<index>>;

neighbour_table bonded_neighbours(const topology& of) {
    neighbour_table table(of.atoms.size());
    for (const bond& each : of.bonds) {
        table[each.i].push_back(each.j);
        table[each.j].push_back(each.i);
    }
    return table;
}

// The atoms up to three bonds away, and how many bonds.
std::map<index, unsigned> near_atoms(const neighbour_table& table, index from) {
    std::map<index, unsigned> distances{{from, 0}};
    std::vector<index> edge{from};
    for (unsigned distance = 1; distance <= 3; ++distance) {
        std::vector<index> next;
        for (const index at : edge) {
            for (const index to : table[at]) {
                if (distances.emplace(to, distance).second) {
                    next.push_back(to);
                }
            }
        }
        edge = std::move(next);
    }
    return distances;
}

}  // namespace

bool topology::is_excluded(index i, index j) const {
    const auto& later = exclusions[std::min(i, j)];
    return i == j || std::ranges::binary_search(later, std::max(i, j));
}

void topology::exclude_neighbours() {
    const neighbour_table table = bonded_neighbours(*this);
    exclusions.assign(atoms.size(), {});
    scaled_pairs.clear();
    for (index i = 0; i < atoms.size(); ++i) {
        for (const auto& [j, distance] : near_atoms(table, i)) {
            if (j > i) {
                exclusions[i].push_back(j);
                if (distance == 3) {
                    scaled_pairs.push_back({i, j});
                }
            }
        }
    }
}

void topology::append(const topology& other) {
    const auto by = static_cast<index>(atoms.size());
    const auto bonds_by = static_cast<index>(bonds.size());
    atoms.insert(atoms.end(), other.atoms.begin(), other.atoms.end());
    for (bond each : other.bonds) {
        bonds.push_back({each.i + by, each.j + by, each.length, each.stiffness});
    }
    for (angle each : other.angles) {
        angles.push_back({each.i + by, each.j + by, each.k + by, each.rest, each.stiffness});
    }
    for (dihedral each : other.dihedrals) {
        dihedrals.push_back({each.i + by, each.j + by, each.k + by, each.l + by, each.height,
                             each.multiplicity, each.phase});
    }
    for (const group& each : other.groups) {
        groups.push_back({each.first + by, each.atoms, each.is_water});
    }
    for (const molecule& each : other.molecules) {
        molecules.push_back(
            {each.first_atom + by, each.atoms, each.first_bond + bonds_by, each.bonds});
    }
    for (const scaled_pair& each : other.scaled_pairs) {
        scaled_pairs.push_back({each.i + by, each.j + by});
    }
    for (std::vector<index> later : other.exclusions) {
        for (index& each : later) {
            each += by;
        }
        exclusions.push_back(std::move(later));
    }
}

double topology::mass() const {
    double sum = 0;
    for (const atom& each : atoms) {
        sum += each.mass;
    }
    return sum;
}

}  // namespace cedar
