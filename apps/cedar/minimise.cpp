// SPDX-License-Identifier: BSD-3-Clause
#include "apps/cedar/minimise.hpp"

#include "apps/cedar/cell_system.hpp"
#include "apps/cedar/progress.hpp"
#include "apps/cedar/shake.hpp"

#include <algorithm>

namespace cedar {
namespace {

constexpr double longest_cutoff = 0.9;
constexpr double skin = 0.1;
constexpr double widest_group = 0.45;  // nm
constexpr double first_step = 0.005;   // nm, of the atom that is pulled hardest
constexpr double longest_step_down = 0.02;
constexpr double longer = 1.2;
constexpr double shorter = 0.5;

force_settings settings_for(double box_edge, double cutoff) {
    force_settings settings;
    settings.cutoff = std::min({cutoff, longest_cutoff, box_edge / 2 - widest_group - skin});
    settings.list_range = settings.cutoff + skin;
    settings.law = cutoff_law::shifted;
    settings.with_springs = true;
    return settings;
}

void hold_bonds(assembly& system) {
    const std::vector<vector3> before = system.positions;
    for (const molecule& each : system.molecules.molecules) {
        shake(system.molecules, each, std::span(before).subspan(each.first_atom, each.atoms),
              std::span(system.positions).subspan(each.first_atom, each.atoms),
              {.tolerance = 1e-7, .sweeps = 10000});
    }
}

// Each atom along its force, the hardest pulled one by `step`.
std::vector<vector3> moved(const std::vector<vector3>& from, const std::vector<vector3>& forces,
                           double step) {
    double hardest = 0;
    for (const vector3& each : forces) {
        hardest = std::max(hardest, length(each));
    }
    std::vector<vector3> to = from;
    for (std::size_t each = 0; each < to.size() && hardest > 0; ++each) {
        to[each] += (step / hardest) * forces[each];
    }
    return to;
}

}  // namespace

descent minimise(assembly& system, unsigned steps, double cutoff) {
    phase_times times;
    cell_system cells(system, settings_for(system.box_edge, cutoff), times);
    std::vector<vector3> kept = cells.positions_by_atom();
    double energy = cells.compute_forces().sum();
    std::vector<vector3> forces = cells.forces_by_atom();
    descent result{energy, energy, 0};
    double step = first_step;
    progress shown("minimising: step", steps);
    for (unsigned each = 0; each < steps; ++each) {
        shown.at(each);
        const std::vector<vector3> tried = moved(kept, forces, step);
        cells.positions() = cells.groups().to_slots(tried);
        if (cells.is_list_old()) {
            cells.renew_without_wrapping();
        }
        const double found = cells.compute_forces().sum();
        if (found >= energy) {
            step *= shorter;
            continue;
        }
        energy = found;
        kept = tried;
        forces = cells.forces_by_atom();
        step = std::min(longer * step, longest_step_down);
        ++result.steps_kept;
    }
    result.energy_after = energy;
    system.positions = kept;
    hold_bonds(system);
    return result;
}

}  // namespace cedar
