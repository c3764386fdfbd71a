// SPDX-License-Identifier: BSD-3-Clause
// The atoms in their cells, and the forces on them: the phases of a step as loops over what each
// owner has, one owner after another. A process may be one owner of several. Then it has all
// arrays, but its positions are right only in its own cells and where they were put.
#pragma once

#include "apps/cedar/assembly.hpp"
#include "apps/cedar/non_bonded.hpp"
#include "apps/cedar/owners.hpp"
#include "apps/cedar/phases.hpp"

namespace cedar {

class cell_system {
public:
    // Throws std::invalid_argument where the settings do not fit the box.
    cell_system(const assembly& from, const force_settings& settings, phase_times& times,
                owner here = every_owner);

    const topology& molecules() const { return topology_; }
    const layout& groups() const { return layout_; }
    const grid& cells() const { return grid_; }
    const std::vector<pair_list>& lists() const { return lists_; }
    const std::vector<owned_work>& work() const { return work_; }
    // Of the owners in this process.
    std::span<const owned_work> work_here() const;
    std::size_t renewals() const { return renewals_; }

    // By slot.
    std::vector<vector3>& positions() { return positions_; }
    std::vector<fixed3>& forces() { return forces_; }
    const std::vector<double>& inverse_masses() const { return inverse_masses_; }

    // Whether atoms of this process have moved so far that a pair within the cutoff may not be in
    // the list.
    bool is_list_old() const;
    // Puts the atoms into cells anew and renews the list. Molecules that have left the box come in
    // at the other side. The velocities by slot go along.
    void renew(std::vector<vector3>& velocities);
    // The same, but each atom's position is kept.
    void renew_without_wrapping();

    // At the positions as they are. Phases bonded, non-bonded and reduce.
    energies compute_forces();
    // Its parts: what one thread does. Forces are added by slot.
    void clear_forces();
    energies compute_batch(index number, std::span<fixed3> forces);
    energies compute_pair(index number, std::span<fixed3> forces);

    // These say how much the two above compute: the terms of a batch, the pairs of atoms that are
    // listed for two cells, and the atoms of these cells.
    index terms_of_batch(index number) const { return batches_[number].count; }
    std::uint64_t listed_atoms(index number) const;
    std::size_t atoms_of_pair(index number) const;

    // In the order of the atoms.
    std::vector<vector3> positions_by_atom() const { return layout_.to_atoms(positions_); }
    std::vector<vector3> forces_by_atom() const;

private:
    cell_view view(index cell) const;
    void place(const std::vector<vector3>& by_atom);
    void share();
    void list();
    void compute_bonded(const owned_work& mine, std::span<fixed3> forces);
    void compute_non_bonded(const owned_work& mine, std::span<fixed3> forces);
    void add_to_owners(const owned_work& mine, const std::vector<fixed3>& from);

    topology topology_;
    force_settings settings_;
    phase_times& times_;
    owner here_;
    grid grid_;
    std::vector<batch> batches_;
    layout layout_;
    std::vector<cell_pair> pairs_;
    std::vector<pair_list> lists_;  // of each pair; empty where another process has the pair
    std::vector<owned_work> work_;
    std::vector<site> sites_;
    std::vector<double> inverse_masses_;
    std::vector<vector3> positions_;
    std::vector<vector3> positions_of_list_;
    std::vector<fixed3> forces_;
    std::vector<fixed3> forces_of_owner_;
    pair_forces scratch_;
    energy_sums energies_;
    std::size_t renewals_ = 0;
};

}  // namespace cedar
