// SPDX-License-Identifier: BSD-3-Clause
#include "apps/cedar/cell_system.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace cedar {
namespace {

void check(const force_settings& settings) {
    if (!(settings.cutoff > 0)) {
        throw std::invalid_argument(
            fmt::format("the cutoff, {} nm, is not above 0", settings.cutoff));
    }
    if (!(settings.list_range > settings.cutoff)) {
        throw std::invalid_argument(
            fmt::format("the range of the list, {} nm, is not above the cutoff, {} nm",
                        settings.list_range, settings.cutoff));
    }
    if (settings.owners == 0 || settings.cells_per_range == 0) {
        throw std::invalid_argument("there must be an owner and a cell in the list's range");
    }
}

force_settings checked(const force_settings& settings) {
    check(settings);
    return settings;
}

}  // namespace

cell_system::cell_system(const assembly& from, const force_settings& settings, phase_times& times,
                         owner here)
    : topology_(from.molecules),
      settings_(checked(settings)),
      times_(times),
      here_(here),
      grid_(from.box_edge, settings.list_range / settings.cells_per_range),
      batches_(bonded_batches(topology_, settings.with_springs)) {
    times_.start();
    std::vector<vector3> positions = from.positions;
    wrap_molecules(topology_, grid_, positions);
    place(positions);
    times_.end_of(phase::list);
}

std::span<const owned_work> cell_system::work_here() const {
    const std::span<const owned_work> all = work_;
    return here_ == every_owner ? all : all.subspan(here_, 1);
}

bool cell_system::is_list_old() const {
    const double slack = (settings_.list_range - settings_.cutoff) / 2;
    double largest = 0;
    for (const owned_work& mine : work_here()) {
        for (const index cell : mine.cells) {
            largest = std::max(largest, largest_square(layout_.part(positions_, cell),
                                                       layout_.part(positions_of_list_, cell)));
        }
    }
    return largest >= slack * slack;
}

void cell_system::renew(std::vector<vector3>& velocities) {
    velocities = layout_.to_atoms(velocities);
    std::vector<vector3> positions = positions_by_atom();
    wrap_molecules(topology_, grid_, positions);
    place(positions);
    ++renewals_;
    velocities = layout_.to_slots(velocities);
}

void cell_system::renew_without_wrapping() {
    place(positions_by_atom());
    ++renewals_;
}

void cell_system::place(const std::vector<vector3>& by_atom) {
    layout_ = make_layout(topology_, grid_, by_atom);
    positions_ = layout_.to_slots(by_atom);
    positions_of_list_ = positions_;
    const double reach = reach_of(layout_, settings_);
    if (grid_.box_edge() < 2 * reach) {
        throw std::invalid_argument(
            fmt::format("the box, {:.3f} nm wide, is less than twice as wide as the list reaches, "
                        "{:.3f} nm: more molecules or a shorter --cutoff and --list are needed",
                        grid_.box_edge(), reach));
    }
    sites_.clear();
    inverse_masses_.clear();
    for (const index atom : layout_.atom_of_slot) {
        sites_.push_back(site_of(topology_.atoms[atom]));
        inverse_masses_.push_back(1 / topology_.atoms[atom].mass);
    }
    pairs_ = pairs_within(grid_, reach);
    share();
    list();
}

void cell_system::share() {
    const std::vector<index> atoms = atoms_in_cells(layout_, grid_.cells());
    const std::vector<owner> owners = bisect(grid_, atoms, settings_.owners);
    work_ = share_out({topology_, layout_, pairs_, batches_}, owners, settings_.owners);
}

void cell_system::list() {
    lists_.assign(pairs_.size(), {});
    for (const owned_work& mine : work_here()) {
        for (const index each : mine.pairs) {
            lists_[each] =
                list_pairs(topology_, grid_, layout_, positions_, settings_, pairs_[each]);
        }
    }
}

void cell_system::clear_forces() { forces_.assign(positions_.size(), {}); }

energies cell_system::compute_forces() {
    times_.start();
    clear_forces();
    energies_ = {};
    times_.end_of(phase::reduce);
    if (work_.size() == 1) {
        compute_bonded(work_.front(), forces_);
        compute_non_bonded(work_.front(), forces_);
        return energies_.values();
    }
    for (const owned_work& mine : work_) {
        forces_of_owner_.assign(positions_.size(), {});
        compute_bonded(mine, forces_of_owner_);
        compute_non_bonded(mine, forces_of_owner_);
        add_to_owners(mine, forces_of_owner_);
        times_.end_of(phase::reduce);
    }
    return energies_.values();
}

void cell_system::compute_bonded(const owned_work& mine, std::span<fixed3> forces) {
    for (const index each : mine.batches) {
        energies_ += compute_batch(each, forces);
    }
    times_.end_of(phase::bonded);
}

energies cell_system::compute_batch(index number, std::span<fixed3> forces) {
    return bonded_forces(topology_, batches_[number], layout_.slot_of_atom, positions_, forces);
}

void cell_system::compute_non_bonded(const owned_work& mine, std::span<fixed3> forces) {
    for (const index each : mine.pairs) {
        energies_ += compute_pair(each, forces);
    }
}

energies cell_system::compute_pair(index number, std::span<fixed3> forces) {
    const auto [a, b] = pairs_[number];
    const energies found = non_bonded_forces(lists_[number], settings_, view(a), view(b), scratch_);
    times_.end_of(phase::non_bonded);
    add_rounded(scratch_.on_a, layout_.part(forces, a));
    add_rounded(scratch_.on_b, layout_.part(forces, b).first(scratch_.on_b.size()));
    times_.end_of(phase::reduce);
    return found;
}

std::uint64_t cell_system::listed_atoms(index number) const {
    const pair_list& list = lists_[number];
    constexpr std::uint64_t of_two_waters = 9;
    std::uint64_t sum = of_two_waters * list.water_partners.size();
    const auto of_a = layout_.groups_of(list.cells.a);
    const auto of_b = layout_.groups_of(list.cells.b);
    for (const list_entry& entry : list.general_entries) {
        std::uint64_t partners = 0;
        for (index each = entry.first; each < entry.behind; ++each) {
            partners += of_b[list.general_partners[each].group].atoms;
        }
        sum += of_a[entry.group].atoms * partners;
    }
    return sum;
}

std::size_t cell_system::atoms_of_pair(index number) const {
    const auto [a, b] = pairs_[number];
    const std::size_t of_a = layout_.part(positions_, a).size();
    return a == b ? of_a : of_a + layout_.part(positions_, b).size();
}

void cell_system::add_to_owners(const owned_work& mine, const std::vector<fixed3>& from) {
    for (const index cell : mine.cells_read) {
        const auto here = layout_.part(from, cell);
        const auto sums = layout_.part(forces_, cell);
        for (std::size_t each = 0; each < here.size(); ++each) {
            sums[each] += here[each];
        }
    }
}

cell_view cell_system::view(index cell) const {
    return {layout_.groups_of(cell), layout_.part(sites_, cell), layout_.part(positions_, cell)};
}

std::vector<vector3> cell_system::forces_by_atom() const {
    std::vector<vector3> by_slot;
    by_slot.reserve(forces_.size());
    for (const fixed3& each : forces_) {
        by_slot.push_back(to_double(each));
    }
    return layout_.to_atoms(by_slot);
}

}  // namespace cedar
