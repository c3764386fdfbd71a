// SPDX-License-Identifier: BSD-3-Clause
// Whole runs: what they conserve, and that owners do not matter.
#include "apps/cedar/integrate.hpp"
#include "apps/cedar/units.hpp"
#include "tests/apps/cedar_systems.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

namespace cedar {
namespace {
using testing::HasSubstr;

template <typename Function>
std::string error_of(const Function& call) {
    try {
        call();
    } catch (const std::exception& error) {
        return error.what();
    }
    return "no error";
}

TEST(cedar, conserves_energy_and_momentum) {
    simulation dynamics(small_system(), small_forces(cutoff_law::shifted),
                        {.time_step = 0.001, .limits = {}});
    const observation first = dynamics.step();
    double farthest = 0;
    for (unsigned step = 1; step < 2000; ++step) {
        farthest = std::max(farthest, std::abs(dynamics.step().total() - first.total()));
    }
    EXPECT_GT(first.temperature, 250);
    const double thermal = boltzmann_constant * first.temperature;
    EXPECT_LT(farthest / (dynamics.degrees_of_freedom() * thermal), 0.01);
    EXPECT_LT(length(dynamics.momentum()), 1e-10 * dynamics.sum_of_momenta());
    EXPECT_GT(dynamics.cells().renewals(), 10U);
}

TEST(cedar_integrate, leap_frog_accelerates_by_force_and_mass) {
    const std::vector<double> inverse_masses{0.5, 1};
    const std::vector<fixed3> forces{to_fixed({8, 0, 0}), to_fixed({0, -3, 0})};
    std::vector<vector3> positions{{1, 1, 1}, {2, 2, 2}};
    std::vector<vector3> velocities{{0, 0, 1}, {1, 0, 0}};
    const moving_atoms atoms{inverse_masses, forces, positions, velocities};
    EXPECT_EQ(leap_frog(atoms, 0.0625), nobody);
    EXPECT_EQ(velocities[0], (vector3{0.25, 0, 1}));
    EXPECT_EQ(velocities[1], (vector3{1, -0.1875, 0}));
    EXPECT_EQ(positions[0], (vector3{1.015625, 1, 1.0625}));
    EXPECT_EQ(positions[1], (vector3{2.0625, 1.98828125, 2}));
    EXPECT_DOUBLE_EQ(kinetic_energy(inverse_masses, velocities), 1.0625 + 0.517578125);
    velocities[1].x = 1e3;
    EXPECT_EQ(leap_frog(atoms, 0.0625), 1U);
}

TEST(cedar, holds_bonds_within_the_tolerance) {
    const double tolerance = 1e-4;
    simulation dynamics(small_system(), small_forces(cutoff_law::truncated),
                        {.time_step = 0.002, .limits = {.tolerance = tolerance}});
    for (unsigned step = 0; step < 50; ++step) {
        dynamics.step();
    }
    const std::vector<vector3> at = dynamics.cells().positions_by_atom();
    double largest = 0;
    for (const bond& each : dynamics.cells().molecules().bonds) {
        const double wanted = each.length * each.length;
        const double excess = std::abs(square(at[each.i] - at[each.j]) - wanted) / wanted;
        EXPECT_LE(excess, 2.0001 * tolerance);
        largest = std::max(largest, excess);
    }
    EXPECT_GT(largest, 0.01 * tolerance);  // they have moved
}

TEST(cedar_shake, names_the_atoms_of_a_bond_that_it_cannot_hold) {
    const assembly& system = small_system();
    const molecule& chain = system.molecules.molecules.front();
    const std::span before = std::span(system.positions).first(chain.atoms);
    std::vector<vector3> after(before.begin(), before.end());
    after[1].x += 0.02;  // CA of residue 0
    const auto hold = [&](unsigned sweeps) {
        std::vector<vector3> moved = after;
        shake(system.molecules, chain, before, moved, {.tolerance = 1e-6, .sweeps = sweeps});
    };
    EXPECT_THAT(error_of([&] { hold(1); }),
                testing::AllOf(HasSubstr("(CA of residue 0)"), HasSubstr("after 1 sweeps"),
                               HasSubstr("atom 1")));
    EXPECT_EQ(error_of([&] { hold(1000); }), "no error");
    after[1] = before[0] - (before[1] - before[0]);
    EXPECT_THAT(error_of([&] { hold(1000); }),
                testing::AllOf(HasSubstr("atom 0 (N of residue 0)"), HasSubstr("turned too far")));
}

TEST(cedar_shake, keeps_the_centre_of_mass) {
    const assembly& system = small_system();
    const molecule& water = system.molecules.molecules.back();
    const auto before = std::span(system.positions).subspan(water.first_atom, water.atoms);
    std::vector<vector3> after(before.begin(), before.end());
    after[1] += {0.003, -0.002, 0.004};
    const auto moment = [&] {
        vector3 sum;
        for (index each = 0; each < water.atoms; ++each) {
            sum += system.molecules.atoms[water.first_atom + each].mass * after[each];
        }
        return sum;
    };
    const vector3 first = moment();
    EXPECT_GT(shake(system.molecules, water, before, after, {}), 1U);
    EXPECT_LT(length(moment() - first), 1e-12);
}

struct trajectory {
    std::vector<std::uint64_t> checksums;
    std::vector<double> energies;

    friend bool operator==(const trajectory& a, const trajectory& b) = default;
};

trajectory run_with(unsigned owners, cutoff_law law, std::uint64_t seed) {
    force_settings settings = small_forces(law);
    settings.cells_per_range = 2;
    settings.owners = owners;
    simulation dynamics(small_system(), settings, {.time_step = 0.002, .seed = seed, .limits = {}});
    trajectory found;
    for (unsigned step = 0; step < 100; ++step) {
        found.energies.push_back(dynamics.step().total());
        found.checksums.push_back(dynamics.checksum());
    }
    EXPECT_GT(dynamics.cells().renewals(), 0U);
    return found;
}

TEST(cedar, moves_the_same_for_any_number_of_owners) {
    const trajectory alone = run_with(1, cutoff_law::truncated, 1);
    EXPECT_EQ(run_with(2, cutoff_law::truncated, 1), alone);
    EXPECT_EQ(run_with(4, cutoff_law::truncated, 1), alone);
    EXPECT_NE(run_with(1, cutoff_law::truncated, 2), alone);
    const std::set<std::uint64_t> different(alone.checksums.begin(), alone.checksums.end());
    EXPECT_EQ(different.size(), alone.checksums.size());
}

TEST(cedar, moves_the_same_for_owners_with_shifted_forces) {
    EXPECT_EQ(run_with(4, cutoff_law::shifted, 1), run_with(1, cutoff_law::shifted, 1));
}

TEST(cedar, refuses_settings_that_do_not_fit) {
    const auto make = [](const force_settings& forces, const step_settings& steps) {
        return error_of([&] { simulation(small_system(), forces, steps); });
    };
    force_settings forces = small_forces(cutoff_law::truncated);
    EXPECT_EQ(make(forces, {.limits = {}}), "no error");
    EXPECT_THAT(make(forces, {.time_step = 0, .limits = {}}), HasSubstr("time step"));
    EXPECT_THAT(make(forces, {.temperature = -1, .limits = {}}), HasSubstr("temperature"));
    EXPECT_THAT(make(forces, {.limits = {.tolerance = 0}}), HasSubstr("tolerance of SHAKE"));
    forces.list_range = 1.2;
    EXPECT_THAT(make(forces, {.limits = {}}), HasSubstr("less than twice as wide as the list"));
    forces.list_range = 0.5;
    EXPECT_THAT(make(forces, {.limits = {}}), HasSubstr("is not above the cutoff"));
    forces.cutoff = 0;
    EXPECT_THAT(make(forces, {.limits = {}}), HasSubstr("is not above 0"));
}

TEST(cedar, says_which_atom_flies_off) {
    simulation dynamics(small_system(), small_forces(cutoff_law::truncated),
                        {.time_step = 0.001, .limits = {}});
    // The last molecule is put onto the one before.
    const std::vector<index>& slots = dynamics.cells().groups().slot_of_atom;
    std::vector<vector3>& positions = dynamics.cells().positions();
    for (std::size_t atom = slots.size() - 3; atom < slots.size(); ++atom) {
        positions[slots[atom]] = positions[slots[atom - 3]] + vector3{0.1, 0.02, 0};
    }
    EXPECT_THAT(error_of([&] { dynamics.step(); }),
                testing::AllOf(HasSubstr("moved by more than 0.1 nm"), HasSubstr("atom")));
}

}  // namespace
}  // namespace cedar
