// SPDX-License-Identifier: BSD-3-Clause
// The periodic box is cut into cells. The atoms are numbered anew by cell: such a number is a slot.
// So the positions of a cell are one array, which can go to another owner as it is.
#pragma once

#include "apps/cedar/topology.hpp"
#include "apps/cedar/vector3.hpp"

#include <array>
#include <type_traits>

namespace cedar {

// How often the box's edge, in each direction.
using image = std::array<int, 3>;

// A cubic box of equal cells.
class grid {
public:
    // Cells are at least `cell_edge` wide.
    grid(double box_edge, double cell_edge);

    double box_edge() const { return box_edge_; }
    double half_edge() const { return box_edge_ / 2; }
    index cells() const { return across_ * across_ * across_; }
    index across() const { return across_; }
    std::array<index, 3> coordinates_of(index cell) const;
    // The image of the box that the point is in.
    image image_of(const vector3& point) const;
    index cell_of(const vector3& point_in_the_box) const;
    // No two points of these cells are nearer.
    double least_distance(index cell, index other) const;
    vector3 shift(const image& by) const {
        return {by[0] * box_edge_, by[1] * box_edge_, by[2] * box_edge_};
    }

private:
    double box_edge_;
    index across_;
};

struct cell_pair {
    index a, b;
};

// Of cells that have points within reach of each other, a cell and itself among them. a <= b.
std::vector<cell_pair> pairs_within(const grid& of, double reach);

// A group inside its cell.
struct placed_group {
    index number;
    index first;  // its first atom, counted inside the cell
    index atoms;
    bool is_water;
    double radius;   // of the sphere about the centre that its atoms are in
    vector3 centre;  // in the box
    image from;      // what it was moved by to be there
};

struct layout {
    std::vector<placed_group> groups;
    std::vector<index> first_group;  // of each cell, and one more
    std::vector<index> first_slot;   // of each cell, and one more
    std::vector<index> slot_of_atom;
    std::vector<index> atom_of_slot;

    std::span<const placed_group> groups_of(index cell) const {
        return std::span(groups).subspan(first_group[cell],
                                         first_group[cell + 1] - first_group[cell]);
    }
    index atoms_of(index cell) const { return first_slot[cell + 1] - first_slot[cell]; }
    index cell_of_slot(index slot) const;

    // A cell's part of an array by slot.
    template <typename Array>
    auto part(Array& by_slot, index cell) const {
        return std::span(by_slot).subspan(first_slot[cell], atoms_of(cell));
    }

    template <typename Value>
    std::vector<Value> to_slots(const std::vector<Value>& by_atom) const {
        std::vector<Value> by_slot(by_atom.size());
        for (std::size_t slot = 0; slot < by_atom.size(); ++slot) {
            by_slot[slot] = by_atom[atom_of_slot[slot]];
        }
        return by_slot;
    }
    template <typename Value>
    std::vector<Value> to_atoms(const std::vector<Value>& by_slot) const {
        std::vector<Value> by_atom(by_slot.size());
        for (std::size_t slot = 0; slot < by_slot.size(); ++slot) {
            by_atom[atom_of_slot[slot]] = by_slot[slot];
        }
        return by_atom;
    }
};

static_assert(std::is_trivially_copyable_v<vector3>);

vector3 centre_of(std::span<const vector3> positions);

// By the centres of groups. Inside a cell the groups are in their order, for every owner of the
// cell.
layout make_layout(const topology& of, const grid& cells, std::span<const vector3> by_atom);

// Moves whole molecules by the box's edge, so that their first atoms are in the box.
void wrap_molecules(const topology& of, const grid& cells, std::vector<vector3>& by_atom);

}  // namespace cedar
