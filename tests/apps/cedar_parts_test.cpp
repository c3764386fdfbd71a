// SPDX-License-Identifier: BSD-3-Clause
// The generators, the cells and their lists, and how they are shared out.
#include "apps/cedar/random.hpp"
#include "apps/cedar/units.hpp"
#include "apps/cedar/water.hpp"
#include "tests/apps/cedar_systems.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>

namespace cedar {
namespace {

template <typename Function>
std::string message_of(const Function& call) {
    try {
        call();
    } catch (const std::exception& error) {
        return error.what();
    }
    return "no error";
}

TEST(cedar_fixed_point, a_reaction_is_as_large_as_its_force) {
    for (const double value : {0.1, 1234.56789, 1e-12, 3e7}) {
        EXPECT_EQ(to_fixed(value), -to_fixed(-value));
        EXPECT_NEAR(to_double(to_fixed(value)), value, 0x1p-32);
    }
    EXPECT_EQ(to_double(to_fixed(1e300)), fixed_limit);
    EXPECT_EQ(to_double(to_fixed(-1e300)), -fixed_limit);
    EXPECT_LE(std::abs(to_double(to_fixed(std::numeric_limits<double>::quiet_NaN()))), fixed_limit);
}

TEST(cedar_chain, is_named_by_a_text) {
    EXPECT_EQ(parse_chain("chain:154:7").residues, 154U);
    EXPECT_EQ(parse_chain("chain:154:7").seed, 7U);
    for (const char* text : {"chain:154", "chain::7", "chain:154:", "kette:154:7", "chain:-1:7",
                             "chain:1x:7", "chain:", "", "chain:1:7 "}) {
        EXPECT_THAT(message_of([&] { parse_chain(text); }),
                    testing::HasSubstr("must be chain:RESIDUES:SEED"));
    }
}

TEST(cedar_chain, excludes_what_is_three_bonds_apart_and_scales_the_last) {
    const topology chain = chain_topology({2, 1});
    // Of the first residue: 0 N, 1 CA, 2 CB, 3 C, 4 O; of the second 5 N, 6 CA, 7 CB, 8 C, 9 O.
    EXPECT_THAT(chain.exclusions[0], testing::ElementsAre(1, 2, 3, 4, 5));
    EXPECT_THAT(chain.exclusions[1], testing::ElementsAre(2, 3, 4, 5, 6));
    EXPECT_THAT(chain.exclusions[2], testing::ElementsAre(3, 4, 5));
    EXPECT_THAT(chain.exclusions[3], testing::ElementsAre(4, 5, 6, 7, 8));
    EXPECT_THAT(chain.exclusions[4], testing::ElementsAre(5, 6));
    std::set<std::pair<index, index>> scaled;
    for (const scaled_pair& each : chain.scaled_pairs) {
        scaled.emplace(each.i, each.j);
    }
    const std::set<std::pair<index, index>> wanted{{0, 4}, {0, 5}, {1, 6}, {2, 4}, {2, 5},
                                                   {3, 7}, {3, 8}, {4, 6}, {5, 9}, {7, 9}};
    EXPECT_EQ(scaled, wanted);
}

TEST(cedar_chain, is_as_dense_as_a_protein_and_avoids_itself) {
    const std::vector<vector3> positions = fold_chain({60, 1});
    ASSERT_EQ(positions.size(), 60 * beads);
    const double radius = chain_radius(60);
    double farthest = 0;
    for (const vector3& each : positions) {
        farthest = std::max(farthest, length(each));
    }
    EXPECT_LT(farthest, 1.03 * radius);
    EXPECT_GT(farthest, 0.9 * radius);
    const double density = chain_topology({60, 1}).mass() / chain_volume(60);
    EXPECT_NEAR(density / gram_per_cubic_centimetre, 1.35, 1e-6);
    for (std::size_t i = 0; i < positions.size(); ++i) {
        for (std::size_t j = i + 1; j < positions.size(); ++j) {
            if (j / beads > i / beads + 1) {
                EXPECT_GT(length(positions[i] - positions[j]), 0.25);
            }
        }
    }
}

TEST(cedar_chain, has_neutral_residues) {
    const topology chain = chain_topology({40, 2});
    double largest = 0;
    for (const group& each : chain.groups) {
        double charge = 0;
        for (index k = 0; k < each.atoms; ++k) {
            charge += chain.atoms[each.first + k].charge;
            largest = std::max(largest, chain.atoms[each.first + k].charge);
        }
        EXPECT_NEAR(charge, 0, 1e-12);
    }
    EXPECT_GT(largest, 0.3);
}

TEST(cedar_water, is_spc_at_its_density) {
    const assembly water = assemble({0, 1}, 300, 4);
    const double density = water.molecules.mass() / std::pow(water.box_edge, 3);
    EXPECT_NEAR(density / gram_per_cubic_centimetre, 1, 1e-4);
    double sum = 0;
    for (index each = 0; each < 300; ++each) {
        const vector3 one = water.positions[3 * each + 1] - water.positions[3 * each];
        const vector3 other = water.positions[3 * each + 2] - water.positions[3 * each];
        EXPECT_NEAR(length(one), 0.1, 1e-12);
        EXPECT_NEAR(length(other), 0.1, 1e-12);
        EXPECT_NEAR(std::acos(dot(one, other) / 0.01), degrees(109.47), 1e-9);
        sum += water.molecules.atoms[3 * each].charge + 2 * 0.41;
    }
    EXPECT_NEAR(sum, 0, 1e-9);
}

TEST(cedar_assembly, of_nothing_is_an_error) {
    EXPECT_THAT(message_of([] { assemble({0, 1}, 0, 1); }),
                testing::HasSubstr("nothing in the box"));
    EXPECT_THAT(message_of([] { assemble({154, 1}, 10, 1); }),
                testing::HasSubstr("too few waters"));
}

TEST(cedar_minimise, lowers_the_energy_and_leaves_bonds_as_they_should_be) {
    assembly system = assemble({20, 2}, 200, 2);
    const descent found = minimise(system, 40, 0.5);
    EXPECT_LT(found.energy_after, found.energy_before - 1000);
    EXPECT_GT(found.steps_kept, 10U);
    for (const bond& each : system.molecules.bonds) {
        EXPECT_NEAR(length(system.positions[each.i] - system.positions[each.j]), each.length,
                    1e-6 * each.length);
    }
}

using group_pairs = std::map<std::pair<index, index>, unsigned>;

group_pairs listed_pairs(const cell_system& cells) {
    group_pairs found;
    for (const pair_list& list : cells.lists()) {
        const auto a = cells.groups().groups_of(list.cells.a);
        const auto b = cells.groups().groups_of(list.cells.b);
        const auto add = [&](index i, index j) { ++found[std::minmax(a[i].number, b[j].number)]; };
        for (const list_entry& entry : list.water_entries) {
            for (index each = entry.first; each < entry.behind; ++each) {
                add(entry.group, list.water_partners[each]);
            }
        }
        for (const list_entry& entry : list.general_entries) {
            for (index each = entry.first; each < entry.behind; ++each) {
                add(entry.group, list.general_partners[each].group);
            }
        }
    }
    return found;
}

vector3 nearest_image(vector3 apart, double edge) {
    apart.x -= edge * std::round(apart.x / edge);
    apart.y -= edge * std::round(apart.y / edge);
    apart.z -= edge * std::round(apart.z / edge);
    return apart;
}

bool are_near(const topology& of, const std::vector<vector3>& at, double edge, index i, index j,
              double range, cutoff_law law) {
    const group& a = of.groups[i];
    const group& b = of.groups[j];
    const vector3 between = centre_of(std::span(at).subspan(b.first, b.atoms)) -
                            centre_of(std::span(at).subspan(a.first, a.atoms));
    if (law == cutoff_law::truncated || length(nearest_image(between, edge)) < range) {
        return length(nearest_image(between, edge)) < range;
    }
    for (index m = 0; m < a.atoms; ++m) {
        for (index n = 0; n < b.atoms; ++n) {
            if (length(nearest_image(at[a.first + m] - at[b.first + n], edge)) < range) {
                return true;
            }
        }
    }
    return false;
}

// By comparing all groups.
group_pairs pairs_nearer_than(double range, const cell_system& cells, cutoff_law law) {
    const std::vector<vector3> at = cells.positions_by_atom();
    const topology& of = cells.molecules();
    group_pairs found;
    for (index i = 0; i < of.groups.size(); ++i) {
        for (index j = i; j < of.groups.size(); ++j) {
            const bool is_itself = i == j && of.groups[i].is_water;
            if (!is_itself && are_near(of, at, cells.cells().box_edge(), i, j, range, law)) {
                found[{i, j}] = 1;
            }
        }
    }
    return found;
}

TEST(cedar_neighbours, list_is_that_of_all_pairs) {
    for (const cutoff_law law : {cutoff_law::truncated, cutoff_law::shifted}) {
        for (const unsigned cells_per_range : {1U, 2U, 3U}) {
            force_settings settings = small_forces(law);
            settings.cells_per_range = cells_per_range;
            phase_times times;
            const cell_system cells(small_system(), settings, times);
            EXPECT_EQ(listed_pairs(cells), pairs_nearer_than(settings.list_range, cells, law));
        }
    }
}

TEST(cedar_neighbours, list_is_renewed_before_it_lacks_a_pair) {
    const force_settings settings = small_forces(cutoff_law::shifted);
    simulation dynamics(small_system(), settings, {.time_step = 0.001, .limits = {}});
    cell_system& cells = dynamics.cells();
    unsigned looked = 0;
    for (unsigned step = 0; step < 80; ++step) {
        dynamics.step();
        if (step % 4 != 0 || cells.is_list_old()) {
            continue;  // an old list is renewed before the next forces
        }
        ++looked;
        const group_pairs listed = listed_pairs(cells);
        for (const auto& pair : pairs_nearer_than(settings.cutoff, cells, settings.law)) {
            ASSERT_TRUE(listed.contains(pair.first))
                << pair.first.first << " " << pair.first.second;
        }
    }
    EXPECT_GT(looked, 10U);
    EXPECT_GT(cells.renewals(), 1U);
}

TEST(cedar_neighbours, half_of_the_slack_makes_a_list_old) {
    phase_times times;
    cell_system cells(small_system(), small_forces(cutoff_law::shifted), times);
    EXPECT_FALSE(cells.is_list_old());
    cells.positions()[77].y += 0.0499;
    EXPECT_FALSE(cells.is_list_old());
    cells.positions()[77].y += 0.0002;
    EXPECT_TRUE(cells.is_list_old());
    cells.renew_without_wrapping();
    EXPECT_FALSE(cells.is_list_old());
}

TEST(cedar_owners, bisection_is_balanced) {
    const grid cells(6, 1);
    random_numbers random(3);
    std::vector<index> atoms(cells.cells());
    for (index& each : atoms) {
        each = 30 + static_cast<index>(random.bits() % 41);
    }
    const double all = std::accumulate(atoms.begin(), atoms.end(), 0.0);
    for (const owner owners : {1U, 2U, 3U, 4U, 7U, 16U}) {
        const std::vector<owner> owner_of = bisect(cells, atoms, owners);
        std::vector<double> sums(owners);
        for (index cell = 0; cell < cells.cells(); ++cell) {
            ASSERT_LT(owner_of[cell], owners);
            sums[owner_of[cell]] += atoms[cell];
        }
        for (const double each : sums) {
            EXPECT_NEAR(each, all / owners, 70) << owners;  // the heaviest cell
        }
    }
}

TEST(cedar_owners, halves_are_the_two_sides_of_the_box) {
    const grid cells(4, 1);
    const std::vector<index> atoms(cells.cells(), 10);
    const std::vector<owner> owner_of = bisect(cells, atoms, 2);
    for (index cell = 0; cell < cells.cells(); ++cell) {
        EXPECT_EQ(owner_of[cell], cells.coordinates_of(cell)[0] / 2);
    }
}

TEST(cedar_owners, each_piece_of_work_has_one_owner) {
    force_settings settings = small_forces(cutoff_law::truncated);
    settings.cells_per_range = 2;
    settings.owners = 4;
    phase_times times;
    const cell_system cells(small_system(), settings, times);
    ASSERT_EQ(cells.work().size(), 4U);
    std::multiset<index> owned;
    std::multiset<index> pairs;
    std::multiset<index> batches;
    std::multiset<index> molecules;
    for (const owned_work& mine : cells.work()) {
        EXPECT_FALSE(mine.cells.empty());
        EXPECT_TRUE(std::ranges::includes(mine.cells_read, mine.cells));
        owned.insert(mine.cells.begin(), mine.cells.end());
        pairs.insert(mine.pairs.begin(), mine.pairs.end());
        batches.insert(mine.batches.begin(), mine.batches.end());
        molecules.insert(mine.molecules.begin(), mine.molecules.end());
    }
    const auto is_each_once = [](const std::multiset<index>& found, std::size_t count) {
        const std::set<index> once(found.begin(), found.end());
        return found.size() == count && once.size() == count && *once.rbegin() == count - 1;
    };
    EXPECT_TRUE(is_each_once(owned, cells.cells().cells()));
    EXPECT_TRUE(is_each_once(pairs, cells.lists().size()));
    EXPECT_TRUE(is_each_once(batches, bonded_batches(cells.molecules(), false).size()));
    EXPECT_TRUE(is_each_once(molecules, 201));
}

}  // namespace
}  // namespace cedar
