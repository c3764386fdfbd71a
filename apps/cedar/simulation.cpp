// SPDX-License-Identifier: BSD-3-Clause
#include "apps/cedar/simulation.hpp"

#include "apps/cedar/integrate.hpp"
#include "apps/cedar/random.hpp"
#include "apps/cedar/units.hpp"

#include <fmt/format.h>

#include <bit>

namespace cedar {
namespace {

void check(const step_settings& settings) {
    if (!(settings.time_step > 0)) {
        throw std::invalid_argument(
            fmt::format("the time step, {} ps, is not above 0", settings.time_step));
    }
    if (!(settings.temperature >= 0)) {
        throw std::invalid_argument(
            fmt::format("the temperature, {} K, is below 0", settings.temperature));
    }
    if (!(settings.limits.tolerance > 0)) {
        throw std::invalid_argument(
            fmt::format("the tolerance of SHAKE, {}, is not above 0", settings.limits.tolerance));
    }
}

// FNV-1a over the bits of the numbers.
void mix(std::uint64_t& hash, double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (unsigned shift = 0; shift < 64; shift += 8) {
        hash = (hash ^ (bits >> shift & 0xffU)) * 0x100000001b3U;
    }
}

}  // namespace

simulation::simulation(const assembly& from, const force_settings& forces,
                       const step_settings& steps, owner here)
    : cells_(from, forces, times_, here),
      with_constraints_(!forces.with_springs),
      settings_(steps) {
    check(steps);
    draw_velocities();
}

double simulation::degrees_of_freedom() const {
    const topology& of = cells_.molecules();
    const std::size_t constraints = with_constraints_ ? of.bonds.size() : 0;
    return static_cast<double>(3 * of.atoms.size() - constraints) - 3;
}

// After Maxwell, without what would turn or stretch the bonds that are held.
void simulation::draw_velocities() {
    random_numbers random(settings_.seed ^ 0x7e10c17U);
    std::vector<vector3> by_atom;
    for (const atom& each : cells_.molecules().atoms) {
        const double speed = std::sqrt(boltzmann_constant * settings_.temperature / each.mass);
        by_atom.push_back(speed * random.normal_vector());
    }
    velocities_ = cells_.groups().to_slots(by_atom);
    remove_drift();
    if (!with_constraints_) {
        return;
    }
    std::vector<vector3>& positions = cells_.positions();
    positions_before_ = positions;
    for (std::size_t slot = 0; slot < positions.size(); ++slot) {
        positions[slot] += settings_.time_step * velocities_[slot];
    }
    for (const molecule& each : cells_.molecules().molecules) {
        hold_bonds(each);
    }
    velocities_from(positions_before_, positions, settings_.time_step, velocities_);
    positions = positions_before_;
    remove_drift();
}

void simulation::remove_drift() {
    const vector3 drift = (1 / cells_.molecules().mass()) * momentum();
    for (vector3& each : velocities_) {
        each -= drift;
    }
}

observation simulation::step() {
    times_.start();
    if (cells_.is_list_old()) {
        renew();
    }
    times_.end_of(phase::list);
    const energies potential = cells_.compute_forces();
    times_.start();
    fixed kinetic_twice = kinetic();
    move_atoms();
    times_.end_of(phase::integrate);
    if (with_constraints_) {
        for (const owned_work& mine : cells_.work_here()) {
            for (const index each : mine.molecules) {
                hold_bonds(cells_.molecules().molecules[each]);
            }
        }
        times_.end_of(phase::shake);
        take_velocities();
    }
    add_fixed(kinetic_twice, kinetic());
    times_.end_of(phase::integrate);
    return observe(potential, kinetic_twice);
}

observation simulation::observe(const energies& potential, fixed kinetic_twice) const {
    observation seen{potential, to_double(kinetic_twice) / 2, 0};
    seen.temperature = 2 * seen.kinetic / (degrees_of_freedom() * boltzmann_constant);
    return seen;
}

void simulation::move_atoms() {
    positions_before_ = cells_.positions();
    for (const owned_work& mine : cells_.work_here()) {
        for (const index cell : mine.cells) {
            move_cell(cell);
        }
    }
}

void simulation::move_cell(index cell) {
    const layout& groups = cells_.groups();
    const std::size_t lost =
        leap_frog({groups.part(cells_.inverse_masses(), cell), groups.part(cells_.forces(), cell),
                   groups.part(cells_.positions(), cell), groups.part(velocities_, cell)},
                  settings_.time_step);
    if (lost != nobody) {
        const index atom = groups.atom_of_slot[groups.first_slot[cell] + lost];
        throw std::runtime_error(fmt::format(
            "atom {} ({}) moved by more than {} nm in one step: the time step, {} ps, "
            "is too long, or atoms were too near each other",
            atom, cells_.molecules().atoms[atom].name, longest_step, settings_.time_step));
    }
}

unsigned simulation::hold_bonds(const molecule& which) {
    const auto slots =
        std::span(cells_.groups().slot_of_atom).subspan(which.first_atom, which.atoms);
    before_of_molecule_.clear();
    after_of_molecule_.clear();
    for (const index slot : slots) {
        before_of_molecule_.push_back(positions_before_[slot]);
        after_of_molecule_.push_back(cells_.positions()[slot]);
    }
    const unsigned sweeps =
        shake(cells_.molecules(), which, before_of_molecule_, after_of_molecule_, settings_.limits);
    for (std::size_t each = 0; each < slots.size(); ++each) {
        cells_.positions()[slots[each]] = after_of_molecule_[each];
    }
    return sweeps * which.bonds;
}

void simulation::take_velocities() {
    const layout& groups = cells_.groups();
    for (const owned_work& mine : cells_.work_here()) {
        for (const index cell : mine.cells) {
            velocities_from(groups.part(positions_before_, cell),
                            groups.part(cells_.positions(), cell), settings_.time_step,
                            groups.part(velocities_, cell));
        }
    }
}

fixed simulation::kinetic() const {
    fixed sum = 0;
    for (const owned_work& mine : cells_.work_here()) {
        for (const index cell : mine.cells) {
            add_fixed(sum,
                      to_fixed(kinetic_energy(cells_.groups().part(cells_.inverse_masses(), cell),
                                              cells_.groups().part(velocities_, cell))));
        }
    }
    return sum;
}

vector3 simulation::momentum() const {
    vector3 sum;
    for (std::size_t slot = 0; slot < velocities_.size(); ++slot) {
        sum += (1 / cells_.inverse_masses()[slot]) * velocities_[slot];
    }
    return sum;
}

double simulation::sum_of_momenta() const {
    double sum = 0;
    for (std::size_t slot = 0; slot < velocities_.size(); ++slot) {
        sum += length(velocities_[slot]) / cells_.inverse_masses()[slot];
    }
    return sum;
}

std::uint64_t simulation::checksum() const {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const vector3& each : cells_.positions_by_atom()) {
        mix(hash, each.x);
        mix(hash, each.y);
        mix(hash, each.z);
    }
    return hash;
}

}  // namespace cedar
