// SPDX-License-Identifier: BSD-3-Clause
// Pairs of groups that may be within the cutoff until the list is renewed: a half list, in which
// each pair is there once, by pairs of cells.
#pragma once

#include "apps/cedar/cells.hpp"
#include "apps/cedar/settings.hpp"

namespace cedar {

// A group of cell a, moved to where its partners in cell b are: a range of these.
struct list_entry {
    index group;
    index first;
    index behind;
    vector3 shift;
};

// Bit m * largest_group + n: atom m of the first group and n of the second are left out.
using exclusion_mask = std::uint32_t;

struct general_partner {
    index group;
    exclusion_mask excluded;
};

// Two molecules of water need no look at what they are, so they are listed apart.
struct pair_list {
    cell_pair cells{};
    std::vector<list_entry> water_entries;
    std::vector<index> water_partners;
    std::vector<list_entry> general_entries;
    std::vector<general_partner> general_partners;
};

// How far apart the centres of two groups of the list may be.
double reach_of(const layout& groups, const force_settings& settings);

// Lists what is nearer than the list's range: the centres of two groups if whole groups are cut
// off, else any two atoms of theirs.
pair_list list_pairs(const topology& of, const grid& cells, const layout& groups,
                     std::span<const vector3> positions, const force_settings& settings,
                     cell_pair which);

// The largest square of a distance between two places of an atom.
double largest_square(std::span<const vector3> positions, std::span<const vector3> before);

}  // namespace cedar
