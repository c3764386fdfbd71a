// SPDX-License-Identifier: BSD-3-Clause
// Molecular dynamics at constant energy, step by step.
#pragma once

#include "apps/cedar/cell_system.hpp"
#include "apps/cedar/shake.hpp"

namespace cedar {

struct step_settings {
    double time_step = 0.002;  // ps
    double temperature = 300;  // K, of the velocities that are drawn
    std::uint64_t seed = 1;
    shake_limits limits;
};

// At the time of the positions: the mean of the kinetic energy half a step before and after.
struct observation {
    energies potential;
    double kinetic = 0;
    double temperature = 0;

    double total() const { return potential.sum() + kinetic; }
};

class simulation {
public:
    // Throws std::invalid_argument where the settings do not fit.
    simulation(const assembly& from, const force_settings& forces, const step_settings& steps,
               owner here = every_owner);
    simulation(const simulation&) = delete;
    simulation& operator=(const simulation&) = delete;

    // One step. What is observed holds for its beginning. Throws shake_error, and
    // std::runtime_error where atoms fly apart.
    observation step();
    // Its parts, of the owners in this process.
    void renew() { cells_.renew(velocities_); }
    // By the forces of the cells. Positions before this are kept for hold_bonds().
    void move_atoms();
    // How often a bond was looked at.
    unsigned hold_bonds(const molecule& which);
    // From the positions before and after the step, where bonds were held.
    void take_velocities();
    fixed kinetic() const;
    // `kinetic_twice` is the sum of what kinetic() gave before and after the step.
    observation observe(const energies& potential, fixed kinetic_twice) const;

    cell_system& cells() { return cells_; }
    bool has_constraints() const { return with_constraints_; }
    std::vector<vector3>& velocities() { return velocities_; }  // by slot
    phase_times& times() { return times_; }
    void forget_times() { times_ = {}; }
    double degrees_of_freedom() const;
    vector3 momentum() const;
    // The sum of the lengths of the atoms' momenta.
    double sum_of_momenta() const;
    // Of the positions, in the order of the atoms.
    std::uint64_t checksum() const;

private:
    void draw_velocities();
    void remove_drift();
    void move_cell(index cell);

    phase_times times_;
    cell_system cells_;
    bool with_constraints_;
    step_settings settings_;
    std::vector<vector3> velocities_;  // by slot
    std::vector<vector3> positions_before_;
    std::vector<vector3> before_of_molecule_;
    std::vector<vector3> after_of_molecule_;
};

}  // namespace cedar
