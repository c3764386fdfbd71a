// SPDX-License-Identifier: BSD-3-Clause
#include "apps/cedar/report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <stdexcept>

namespace cedar {
namespace {

const char* name_of(cutoff_law law) { return law == cutoff_law::shifted ? "shifted" : "truncated"; }

nlohmann::json to_json(const observation& seen) {
    nlohmann::json terms_of;
    for (std::size_t each = 0; each < terms; ++each) {
        terms_of[term_names[each]] = seen.potential.of[each];
    }
    return {{"potential", terms_of},
            {"kinetic", seen.kinetic},
            {"total", seen.total()},
            {"temperature", seen.temperature}};
}

std::string table_of_phases(const findings& found, unsigned steps) {
    std::string text = fmt::format("{:<14} {:>12} {:>8}\n", "phase", "ms a step", "%");
    for (std::size_t each = 0; each < phases; ++each) {
        const double seconds = found.times[static_cast<phase>(each)];
        if (seconds == 0) {
            continue;
        }
        text += fmt::format("{:<14} {:>12.3f} {:>8.1f}\n", phase_names[each],
                            1000 * seconds / steps, 100 * seconds / found.seconds_of_steps);
    }
    return text + fmt::format("{:<14} {:>12.3f}\n", "step", 1000 * found.seconds_of_steps / steps);
}

std::string table_of_energies(const findings& found) {
    std::string text = fmt::format("{:<14} {:>14} {:>14}\n", "kJ/mol", "first step", "last step");
    const auto row = [&](const char* name, double first, double last) {
        text += fmt::format("{:<14} {:>14.3f} {:>14.3f}\n", name, first, last);
    };
    for (std::size_t each = 0; each < terms; ++each) {
        row(term_names[each], found.first.potential.of[each], found.last.potential.of[each]);
    }
    row("kinetic", found.first.kinetic, found.last.kinetic);
    row("total", found.first.total(), found.last.total());
    row("K", found.first.temperature, found.last.temperature);
    return text;
}

}  // namespace

std::string describe(const request& wanted, const findings& found) {
    return fmt::format(
               "{} residues and {} waters: {} atoms in a box of {:.3f} nm, {} cells, {} owners\n"
               "{} steps of {} fs; {} at {} nm, list of {} nm, renewed {} times\n"
               "assembled in {:.2f} s, minimised in {:.2f} s from {:.6g} to {:.6g} kJ/mol\n\n",
               wanted.chain.residues, wanted.waters, found.atoms, found.box_edge, found.cells,
               wanted.forces.owners, wanted.steps, 1000 * wanted.dynamics.time_step,
               name_of(wanted.forces.law), wanted.forces.cutoff, wanted.forces.list_range,
               found.renewals, found.seconds_to_assemble, found.seconds_to_minimise,
               found.minimised.energy_before, found.minimised.energy_after) +
           table_of_energies(found) + "\n" + table_of_phases(found, wanted.steps) +
           fmt::format(
               "\ndrift {:.3g} kT for each degree of freedom, momentum {:.2g}, bonds {:.2g}, "
               "checksum {:016x}\n",
               found.drift, found.relative_momentum, found.bond_error, found.checksum);
}

nlohmann::json to_json(const request& wanted, const findings& found) {
    nlohmann::json seconds;
    for (std::size_t each = 0; each < phases; ++each) {
        seconds[phase_names[each]] = found.times[static_cast<phase>(each)];
    }
    seconds["steps"] = found.seconds_of_steps;
    seconds["user"] = found.user_seconds_of_steps;
    seconds["assemble"] = found.seconds_to_assemble;
    seconds["minimise"] = found.seconds_to_minimise;
    return {{"benchmark", "iccedar"},
            {"residues", wanted.chain.residues},
            {"waters", wanted.waters},
            {"seed", wanted.chain.seed},
            {"atoms", found.atoms},
            {"box_edge", found.box_edge},
            {"cells", found.cells},
            {"owners", wanted.forces.owners},
            {"steps", wanted.steps},
            {"time_step", wanted.dynamics.time_step},
            {"law", name_of(wanted.forces.law)},
            {"cutoff", wanted.forces.cutoff},
            {"list_range", wanted.forces.list_range},
            {"renewals", found.renewals},
            {"first", to_json(found.first)},
            {"last", to_json(found.last)},
            {"mean_temperature", found.mean_temperature},
            {"drift", found.drift},
            {"relative_momentum", found.relative_momentum},
            {"bond_error", found.bond_error},
            {"seconds", seconds},
            {"checksum", fmt::format("{:016x}", found.checksum)}};
}

void write_json(const std::string& path, const nlohmann::json& what) {
    std::ofstream file(path);
    file << what.dump(2) << '\n';
    if (!file.flush()) {
        throw std::runtime_error(fmt::format("'{}' cannot be written", path));
    }
}

}  // namespace cedar
