// SPDX-License-Identifier: BSD-3-Clause
#include "apps/cedar/cells.hpp"

#include <algorithm>
#include <cmath>

namespace cedar {
namespace {

index cells_across(double box_edge, double cell_edge) {
    return std::max(index{1}, static_cast<index>(box_edge / cell_edge));
}

placed_group place(const group& which, index number, const grid& cells,
                   std::span<const vector3> by_atom) {
    const auto atoms = by_atom.subspan(which.first, which.atoms);
    const vector3 centre = centre_of(atoms);
    double radius = 0;
    for (const vector3& each : atoms) {
        radius = std::max(radius, length(each - centre));
    }
    const image from = cells.image_of(centre);
    return {number, 0, which.atoms, which.is_water, radius, centre - cells.shift(from), from};
}

}  // namespace

grid::grid(double box_edge, double cell_edge)
    : box_edge_(box_edge), across_(cells_across(box_edge, cell_edge)) {}

std::array<index, 3> grid::coordinates_of(index cell) const {
    return {cell % across_, cell / across_ % across_, cell / (across_ * across_)};
}

image grid::image_of(const vector3& point) const {
    return {static_cast<int>(std::floor(point.x / box_edge_)),
            static_cast<int>(std::floor(point.y / box_edge_)),
            static_cast<int>(std::floor(point.z / box_edge_))};
}

index grid::cell_of(const vector3& point) const {
    const auto along = [&](double coordinate) {
        const double scaled = std::max(0.0, coordinate / box_edge_ * across_);
        return std::min(across_ - 1, static_cast<index>(scaled));
    };
    return along(point.x) + across_ * (along(point.y) + across_ * along(point.z));
}

double grid::least_distance(index cell, index other) const {
    const auto here = coordinates_of(cell);
    const auto there = coordinates_of(other);
    double sum = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const index apart = std::max(here[axis], there[axis]) - std::min(here[axis], there[axis]);
        const index around = std::min(apart, across_ - apart);
        const double gap = around > 1 ? (around - 1) * box_edge_ / across_ : 0;
        sum += gap * gap;
    }
    return std::sqrt(sum);
}

std::vector<cell_pair> pairs_within(const grid& of, double reach) {
    std::vector<cell_pair> pairs;
    for (index a = 0; a < of.cells(); ++a) {
        for (index b = a; b < of.cells(); ++b) {
            if (of.least_distance(a, b) <= reach) {
                pairs.push_back({a, b});
            }
        }
    }
    return pairs;
}

index layout::cell_of_slot(index slot) const {
    const auto behind = std::ranges::upper_bound(first_slot, slot);
    return static_cast<index>(behind - first_slot.begin()) - 1;
}

vector3 centre_of(std::span<const vector3> positions) {
    vector3 sum;
    for (const vector3& each : positions) {
        sum += each;
    }
    return (1.0 / static_cast<double>(positions.size())) * sum;
}

layout make_layout(const topology& of, const grid& cells, std::span<const vector3> by_atom) {
    std::vector<std::vector<placed_group>> in_cells(cells.cells());
    for (index number = 0; number < of.groups.size(); ++number) {
        const placed_group placed = place(of.groups[number], number, cells, by_atom);
        in_cells[cells.cell_of(placed.centre)].push_back(placed);
    }
    layout result;
    result.slot_of_atom.resize(of.atoms.size());
    for (const auto& groups : in_cells) {
        result.first_group.push_back(static_cast<index>(result.groups.size()));
        const auto first_slot = static_cast<index>(result.atom_of_slot.size());
        result.first_slot.push_back(first_slot);
        for (placed_group each : groups) {
            each.first = static_cast<index>(result.atom_of_slot.size()) - first_slot;
            for (index k = 0; k < each.atoms; ++k) {
                const index atom = of.groups[each.number].first + k;
                result.slot_of_atom[atom] = static_cast<index>(result.atom_of_slot.size());
                result.atom_of_slot.push_back(atom);
            }
            result.groups.push_back(each);
        }
    }
    result.first_group.push_back(static_cast<index>(result.groups.size()));
    result.first_slot.push_back(static_cast<index>(result.atom_of_slot.size()));
    return result;
}

void wrap_molecules(const topology& of, const grid& cells, std::vector<vector3>& by_atom) {
    for (const molecule& each : of.molecules) {
        const image from = cells.image_of(by_atom[each.first_atom]);
        if (from == image{}) {
            continue;
        }
        const vector3 shift = cells.shift(from);
        for (index atom = each.first_atom; atom < each.first_atom + each.atoms; ++atom) {
            by_atom[atom] -= shift;
        }
    }
}

}  // namespace cedar
