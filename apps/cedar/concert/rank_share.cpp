// SPDX-License-Identifier: BSD-3-Clause
#include "apps/cedar/concert/rank_share.hpp"

#include <algorithm>
#include <iterator>
#include <lazult_concert_simulation.hpp>
#include <utility>

namespace cedar {
namespace {

std::vector<rank_share*> in_use;  // one, or those of all simulated ranks

}  // namespace

rank_share::rank_share(const assembly& from, const force_settings& forces,
                       const step_settings& steps, owner rank)
    : rank_(rank), dynamics_(from, forces, steps, rank) {
    find_owners();
    dynamics_.forget_times();
}

cell_name rank_share::name_of(index cell) const {
    return names_[cell * static_cast<std::uint64_t>(concert_size()) + owner_of_cell_[cell]];
}

std::span<vector3> rank_share::positions_of(index cell) {
    return dynamics_.cells().groups().part(dynamics_.cells().positions(), cell);
}

std::span<vector3> rank_share::velocities_of(index cell) {
    return dynamics_.cells().groups().part(dynamics_.velocities(), cell);
}

std::span<fixed3> rank_share::forces_of(index cell) {
    return dynamics_.cells().groups().part(dynamics_.cells().forces(), cell);
}

void rank_share::renew() {
    const std::vector<index> before = own_atoms();
    dynamics_.renew();
    find_owners();
    std::vector<index> new_ones;
    std::ranges::set_difference(own_atoms(), before, std::back_inserter(new_ones));
    arrivals_ += new_ones.size();
}

std::vector<index> rank_share::own_atoms() {
    std::vector<index> atoms;
    const layout& groups = dynamics_.cells().groups();
    for (const index cell : work().cells) {
        const auto here = groups.part(groups.atom_of_slot, cell);
        atoms.insert(atoms.end(), here.begin(), here.end());
    }
    std::ranges::sort(atoms);
    return atoms;
}

void rank_share::find_owners() {
    cell_system& cells = dynamics_.cells();
    owner_of_cell_.assign(cells.cells().cells(), 0);
    cell_of_slot_.resize(cells.positions().size());
    for (owner each = 0; each < cells.work().size(); ++each) {
        for (const index cell : cells.work()[each].cells) {
            owner_of_cell_[cell] = each;
            std::ranges::fill(cells.groups().part(cell_of_slot_, cell), cell);
        }
    }
    find_molecules();
    find_others();
}

void rank_share::find_molecules() {
    whole_molecules_.clear();
    tied_molecules_.clear();
    tied_slots_.assign(owner_of_cell_.size(), {});
    kept_of_tied_.assign(owner_of_cell_.size(), {});
    const topology& of = dynamics_.cells().molecules();
    for (index number = 0; number < of.molecules.size(); ++number) {
        const std::set<owner> owners = owners_of(of.molecules[number]);
        if (owners.size() > 1) {
            add_tied_slots(of.molecules[number]);
        }
        if (owners.contains(rank_)) {
            (owners.size() == 1 ? whole_molecules_ : tied_molecules_).push_back(number);
        }
    }
}

std::set<owner> rank_share::owners_of(const molecule& which) {
    const std::vector<index>& slots = dynamics_.cells().groups().slot_of_atom;
    std::set<owner> owners;
    for (index atom = which.first_atom; atom < which.first_atom + which.atoms; ++atom) {
        owners.insert(owner_of_cell_[cell_of_slot_[slots[atom]]]);
    }
    return owners;
}

void rank_share::add_tied_slots(const molecule& which) {
    const std::vector<index>& slots = dynamics_.cells().groups().slot_of_atom;
    for (index atom = which.first_atom; atom < which.first_atom + which.atoms; ++atom) {
        tied_slots_[cell_of_slot_[slots[atom]]].push_back(slots[atom]);
    }
}

void rank_share::keep_tied() {
    const std::vector<vector3>& positions = dynamics_.cells().positions();
    for (const index cell : work().cells) {
        kept_of_tied_[cell].clear();
        for (const index slot : tied_slots_[cell]) {
            kept_of_tied_[cell].push_back(positions[slot]);
        }
    }
}

void rank_share::find_others() {
    others_.clear();
    others_read_.clear();
    others_tied_.clear();
    const std::vector<index>& read = work().cells_read;
    for (index cell = 0; cell < owner_of_cell_.size(); ++cell) {
        if (owner_of_cell_[cell] == rank_ || positions_of(cell).empty()) {
            continue;
        }
        others_.push_back(cell);
        if (std::ranges::binary_search(read, cell)) {
            others_read_.push_back(cell);
        }
        if (!tied_molecules_.empty() && !tied_slots_[cell].empty()) {
            others_tied_.push_back(cell);
        }
    }
}

rank_share& share_here() {
    return *in_use[lazult::concert::is_simulated() ? static_cast<std::size_t>(concert_rank()) : 0];
}

share_in_use::share_in_use(rank_share& mine) { in_use = {&mine}; }
share_in_use::share_in_use(std::vector<rank_share*> shares) { in_use = std::move(shares); }
share_in_use::~share_in_use() { in_use.clear(); }

}  // namespace cedar
