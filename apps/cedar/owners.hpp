// SPDX-License-Identifier: BSD-3-Clause
// The cells are shared out by recursive bisection on the number of atoms, and with them the work.
#pragma once

#include "apps/cedar/bonded.hpp"
#include "apps/cedar/cells.hpp"

namespace cedar {

using owner = std::uint32_t;
inline constexpr owner every_owner = ~owner{0};

// The owner of each cell. Halves a set of cells across its longest side; an odd number of owners
// is shared out as evenly as it goes, and the atoms in the same ratio. Each cut is off by at most
// half of the cell that it passes through.
std::vector<owner> bisect(const grid& cells, std::span<const index> atoms, owner owners);

// The number of atoms in each cell.
std::vector<index> atoms_in_cells(const layout& groups, index cells);

// What one owner does in a step.
struct owned_work {
    std::vector<index> cells;
    std::vector<index> pairs;      // of the pairs of cells
    std::vector<index> batches;    // of the bonded batches
    std::vector<index> molecules;  // of which it does the constraints
    // Of which it needs the positions, its own and others', and to which it adds forces.
    std::vector<index> cells_read;
};

struct all_work {
    const topology& of;
    const layout& groups;
    std::span<const cell_pair> pairs;
    std::span<const batch> batches;
};

// A pair of cells goes to either owner by turns; a batch and a molecule to that of their first
// atom.
std::vector<owned_work> share_out(const all_work& work, std::span<const owner> owner_of_cell,
                                  owner owners);

}  // namespace cedar
