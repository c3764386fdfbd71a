// SPDX-License-Identifier: BSD-3-Clause
// What a rank has of the simulation: its own cells, and copies of what it reads of the others.
#pragma once

#include "apps/cedar/concert/shared_cell.hpp"
#include "apps/cedar/concert/traffic.hpp"
#include "apps/cedar/concert/work_done.hpp"
#include "apps/cedar/simulation.hpp"

#include <set>

namespace cedar {

class rank_share {
public:
    // Throws std::invalid_argument where the settings do not fit.
    rank_share(const assembly& from, const force_settings& forces, const step_settings& steps,
               owner rank);

    simulation& dynamics() { return dynamics_; }
    // Of the step under way: those of the pairs and batches that this rank has.
    energy_sums& energies() { return energies_; }
    traffic& calls() { return calls_; }
    // What the rank has computed since the measurements began.
    work_done& computed() { return computed_; }
    // How many atoms have come to this rank because they are in one of its cells.
    std::uint64_t& arrivals() { return arrivals_; }
    // What the queue had counted when the measurements began.
    concert_counters& counted_before() { return counted_before_; }

    void set_names(const cell_array& cells) { names_ = cells; }
    // The object of the cell's owner.
    cell_name name_of(index cell) const;

    const owned_work& work() { return dynamics_.cells().work()[rank_]; }
    // Cells of other ranks: all that have atoms, those that the forces need, and those with atoms
    // of molecules that this rank has a part of.
    const std::vector<index>& others() const { return others_; }
    const std::vector<index>& others_read() const { return others_read_; }
    const std::vector<index>& others_tied() const { return others_tied_; }
    // Molecules of which this rank has all atoms, and of which it has some.
    const std::vector<index>& whole_molecules() const { return whole_molecules_; }
    const std::vector<index>& tied_molecules() const { return tied_molecules_; }
    // The atoms in the cell of molecules that are in cells of several ranks.
    const std::vector<index>& tied_slots(index cell) const { return tied_slots_[cell]; }
    // Their positions after the last keep_tied(), in a cell of this rank. Others read these while
    // this rank holds the bonds, which moves the atoms.
    const std::vector<vector3>& kept_of_tied(index cell) const { return kept_of_tied_[cell]; }
    void keep_tied();

    std::span<vector3> positions_of(index cell);
    std::span<vector3> velocities_of(index cell);
    std::span<fixed3> forces_of(index cell);

    // When positions and velocities of all cells are here.
    void renew();

private:
    std::vector<index> own_atoms();
    void find_owners();
    void find_others();
    void find_molecules();
    std::set<owner> owners_of(const molecule& which);
    void add_tied_slots(const molecule& which);

    owner rank_;
    simulation dynamics_;
    cell_array names_;
    energy_sums energies_;
    traffic calls_;
    work_done computed_;
    std::uint64_t arrivals_ = 0;
    concert_counters counted_before_{};
    std::vector<owner> owner_of_cell_;
    std::vector<index> cell_of_slot_;
    std::vector<index> others_;
    std::vector<index> others_read_;
    std::vector<index> others_tied_;
    std::vector<index> whole_molecules_;
    std::vector<index> tied_molecules_;
    std::vector<std::vector<index>> tied_slots_;
    std::vector<std::vector<vector3>> kept_of_tied_;
};

// That of this process, or of the simulated rank. Objects and methods cannot be told where it is,
// so they ask.
rank_share& share_here();
// While this exists, share_here() gives that one.
class share_in_use {
public:
    explicit share_in_use(rank_share& mine);
    // Of simulated ranks, by rank.
    explicit share_in_use(std::vector<rank_share*> shares);
    ~share_in_use();
    share_in_use(const share_in_use&) = delete;
    share_in_use& operator=(const share_in_use&) = delete;
};

}  // namespace cedar
