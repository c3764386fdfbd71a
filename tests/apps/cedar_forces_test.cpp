// SPDX-License-Identifier: BSD-3-Clause
// Forces are what the energy loses on the way: against central differences.
#include "apps/cedar/bonded.hpp"
#include "apps/cedar/random.hpp"
#include "tests/apps/cedar_systems.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace cedar {
namespace {

constexpr double step = 1e-5;  // nm

double& along(vector3& of, int axis) { return axis == 0 ? of.x : axis == 1 ? of.y : of.z; }

// The error as a part of the largest force, over every `stride`th atom.
double relative_error(std::vector<vector3>& positions, const std::vector<vector3>& forces,
                      std::size_t stride, const std::function<double()>& energy) {
    double error = 0;
    double largest = 0;
    for (std::size_t each = 0; each < positions.size(); each += stride) {
        for (int axis = 0; axis < 3; ++axis) {
            double& coordinate = along(positions[each], axis);
            const double kept = coordinate;
            coordinate = kept + step;
            const double above = energy();
            coordinate = kept - step;
            const double below = energy();
            coordinate = kept;
            vector3 force = forces[each];
            const double difference = (below - above) / (2 * step);
            error = std::max(error, std::abs(difference - along(force, axis)));
            largest = std::max(largest, std::abs(difference));
        }
    }
    EXPECT_GT(largest, 0);
    return error / largest;
}

std::vector<vector3> shaken_chain() {
    std::vector<vector3> positions = fold_chain({8, 3});
    random_numbers random(5);
    for (vector3& each : positions) {
        each += 0.01 * random.normal_vector();
    }
    return positions;
}

void check_bonded(term kind) {
    const topology chain = chain_topology({8, 3});
    std::vector<vector3> positions = shaken_chain();
    std::vector<index> slots(positions.size());
    for (index each = 0; each < slots.size(); ++each) {
        slots[each] = each;
    }
    std::vector<fixed3> forces(positions.size());
    const auto energy = [&] {
        double sum = 0;
        for (const batch& each : bonded_batches(chain, true)) {
            if (each.kind == kind) {
                sum += bonded_forces(chain, each, slots, positions, forces)[kind];
            }
        }
        return sum;
    };
    energy();
    std::vector<vector3> at_start;
    fixed3 sum;
    for (const fixed3& each : forces) {
        at_start.push_back(to_double(each));
        sum += each;
    }
    EXPECT_EQ(sum, fixed3{});
    EXPECT_LT(relative_error(positions, at_start, 1, energy), 1e-6);
}

TEST(cedar_forces, bonds_agree_with_their_energy) { check_bonded(term::bond); }
TEST(cedar_forces, angles_agree_with_their_energy) { check_bonded(term::angle); }
TEST(cedar_forces, dihedrals_agree_with_their_energy) { check_bonded(term::dihedral); }
TEST(cedar_forces, scaled_pairs_agree_with_their_energy) { check_bonded(term::scaled_pair); }

void check_all(const assembly& system, force_settings settings) {
    settings.with_springs = true;
    phase_times times;
    cell_system cells(system, settings, times);
    cells.compute_forces();
    std::vector<vector3> forces;
    for (const fixed3& each : cells.forces()) {
        forces.push_back(to_double(each));
    }
    const auto energy = [&] { return cells.compute_forces().sum(); };
    EXPECT_LT(relative_error(cells.positions(), forces, 29, energy), 1e-6);
    EXPECT_FALSE(cells.is_list_old());
}

assembly only(term kind) {
    assembly system = small_system();
    topology& of = system.molecules;
    of.bonds.clear();
    of.angles.clear();
    of.dihedrals.clear();
    of.scaled_pairs.clear();
    for (atom& each : of.atoms) {
        (kind == term::coulomb ? each.epsilon : each.charge) = 0;
    }
    return system;
}

TEST(cedar_forces, lennard_jones_agrees_with_its_energy) {
    for (const cutoff_law law : {cutoff_law::truncated, cutoff_law::shifted}) {
        check_all(only(term::lennard_jones), small_forces(law));
    }
}

TEST(cedar_forces, coulomb_agrees_with_its_energy) {
    for (const cutoff_law law : {cutoff_law::truncated, cutoff_law::shifted}) {
        check_all(only(term::coulomb), small_forces(law));
    }
}

TEST(cedar_forces, all_together_agree_with_their_energy) {
    check_all(small_system(), small_forces(cutoff_law::shifted));
}

// Two atoms alone, computed by hand.
TEST(cedar_forces, two_atoms_attract_and_repel_as_they_should) {
    assembly system;
    system.box_edge = 4;
    system.positions = {{1, 1, 1}, {1.4, 1, 1}};
    system.molecules.atoms = {{"a", 1, 0.5, 0.3, 0.2}, {"b", 1, -0.25, 0.4, 0.8}};
    system.molecules.groups = {{0, 1, false}, {1, 1, false}};
    system.molecules.molecules = {{0, 1, 0, 0}, {1, 1, 0, 0}};
    system.molecules.exclude_neighbours();
    phase_times times;
    cell_system cells(system, {.cutoff = 1, .list_range = 1.1}, times);
    const energies found = cells.compute_forces();
    const double power_6 = std::pow(0.3 * 0.4 / (0.4 * 0.4), 3);
    EXPECT_NEAR(found[term::lennard_jones], 4 * 0.4 * (power_6 * power_6 - power_6), 1e-8);
    EXPECT_NEAR(found[term::coulomb], 138.935458 * 0.5 * -0.25 / 0.4, 1e-8);
    const double force =
        (4 * 0.4 * (12 * power_6 * power_6 - 6 * power_6) + found[term::coulomb]) / 0.4;
    EXPECT_NEAR(cells.forces_by_atom()[1].x, force, 1e-7);
    EXPECT_NEAR(cells.forces_by_atom()[0].x, -force, 1e-7);
}

TEST(cedar_forces, shifted_forces_end_at_the_cutoff) {
    assembly system;
    system.box_edge = 4;
    system.molecules.atoms = {{"a", 1, 0.5, 0.3, 0.2}, {"b", 1, -0.25, 0.4, 0.8}};
    system.molecules.groups = {{0, 1, false}, {1, 1, false}};
    system.molecules.molecules = {{0, 1, 0, 0}, {1, 1, 0, 0}};
    system.molecules.exclude_neighbours();
    const force_settings settings{.cutoff = 1, .list_range = 1.1, .law = cutoff_law::shifted};
    for (const double beyond : {-1e-6, 1e-6}) {
        // Across the edge of the box.
        system.positions = {{0.1, 1, 1}, {3.1 - beyond, 1, 1}};
        phase_times times;
        cell_system cells(system, settings, times);
        EXPECT_NEAR(cells.compute_forces().sum(), 0, 1e-8);
        EXPECT_NEAR(cells.forces_by_atom()[0].x, 0, 1e-3);
    }
}

}  // namespace
}  // namespace cedar
