// SPDX-License-Identifier: BSD-3-Clause
// Cells as objects of Concert, which other ranks read and add forces to.
#pragma once

#include "apps/cedar/cells.hpp"
#include "apps/cedar/fixed_point.hpp"

#include <cstdint>
#include <lazult_concert_objects.hpp>
#include <vector>

namespace cedar {

// Every rank has an object for every cell, and calls that of the cell's owner. So a cell that goes
// to another rank when the list is renewed needs no new name. What a cell has stands in the arrays
// of its owner's rank_share, since forces are computed on these. Methods that are const read.
class shared_cell {
public:
    // Object i of all: cell i / ranks.
    explicit shared_cell(std::uint64_t i);

    std::vector<vector3> positions() const;
    std::vector<vector3> velocities() const;
    // The positions of atoms in molecules that lie in cells of several ranks. Forces have moved
    // these atoms, and SHAKE has not corrected their bonds yet.
    std::vector<vector3> positions_of_tied() const;
    void add_forces(const std::vector<fixed3>& more);

private:
    index cell_;
};

using cell_name = lazult::concert::global_ptr<shared_cell>;
using cell_array = lazult::concert::global_array<shared_cell>;

}  // namespace cedar
