// SPDX-License-Identifier: BSD-3-Clause
#include "apps/cedar/chain.hpp"
#include "apps/cedar/random.hpp"
#include "apps/cedar/units.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace cedar {
namespace {

constexpr double spring_stiffness = 2.5e5;  // kJ/mol/nm^2
constexpr double angle_stiffness = 450;     // kJ/mol/rad^2

constexpr index n = 0;
constexpr index ca = 1;
constexpr index cb = 2;
constexpr index c = 3;
constexpr index o = 4;
constexpr index next_n = beads + n;
constexpr index next_ca = beads + ca;
constexpr index next_c = beads + c;

// The charge that a side chain draws from its CA.
double side_charge(random_numbers& random) {
    constexpr std::array<double, 4> charges{0, 0, 0.25, -0.25};
    return charges[random.bits() % charges.size()];
}

void add_atoms(topology& to, index residue, random_numbers& random) {
    const double side = side_charge(random);
    const auto name = [&](const char* bead) {
        return fmt::format("{} of residue {}", bead, residue);
    };
    const double side_mass = residue_mass - 15 - 13 - 12 - 16;
    to.atoms.push_back({name("N"), 15, -0.2, 0.325, 0.71});
    to.atoms.push_back({name("CA"), 13, 0.2 - side, 0.38, 0.4});
    to.atoms.push_back({name("CB"), side_mass, side, 0.43, 0.6});
    to.atoms.push_back({name("C"), 12, 0.38, 0.375, 0.44});
    to.atoms.push_back({name("O"), 16, -0.38, 0.296, 0.88});
    to.groups.push_back({residue * beads, beads, false});
}

void add_bonds(topology& to, index first, bool is_last) {
    const auto join = [&](index i, index j, double length) {
        to.bonds.push_back({first + i, first + j, length, spring_stiffness});
    };
    join(n, ca, 0.147);
    join(ca, cb, 0.153);
    join(ca, c, 0.153);
    join(c, o, 0.123);
    if (!is_last) {
        join(c, next_n, 0.133);
    }
}

void add_angles(topology& to, index first, bool is_last) {
    const auto bend = [&](index i, index j, index k, double rest) {
        to.angles.push_back({first + i, first + j, first + k, degrees(rest), angle_stiffness});
    };
    bend(n, ca, c, 111);
    bend(n, ca, cb, 110);
    bend(cb, ca, c, 110);
    bend(ca, c, o, 120.5);
    if (!is_last) {
        bend(ca, c, next_n, 116.5);
        bend(o, c, next_n, 123);
        bend(c, next_n, next_ca, 122);
    }
}

void add_dihedrals(topology& to, index first) {
    const auto turn = [&](index i, index j, index k, index l, double height, double multiplicity,
                          double phase) {
        to.dihedrals.push_back(
            {first + i, first + j, first + k, first + l, height, multiplicity, degrees(phase)});
    };
    turn(n, ca, c, next_n, 1, 6, 0);              // psi
    turn(c, next_n, next_ca, next_c, 1, 6, 180);  // phi
    turn(ca, c, next_n, next_ca, 33.5, 2, 180);   // omega: the peptide is flat
    turn(o, c, next_n, next_ca, 33.5, 2, 180);
}

template <typename Number>
bool read_number(std::string_view text, Number& into) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
    return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

chain_request parse_chain(std::string_view text) {
    constexpr std::string_view prefix = "chain:";
    chain_request wanted;
    const std::size_t colon = text.rfind(':');
    if (!text.starts_with(prefix) || colon < prefix.size() ||
        !read_number(text.substr(prefix.size(), colon - prefix.size()), wanted.residues) ||
        !read_number(text.substr(colon + 1), wanted.seed)) {
        throw std::invalid_argument(
            fmt::format("'{}' is no chain: it must be chain:RESIDUES:SEED", text));
    }
    return wanted;
}

double chain_volume(index residues) {
    return residues * residue_mass / (protein_density * gram_per_cubic_centimetre);
}

double chain_radius(index residues) {
    return std::cbrt(chain_volume(residues) * 3 / (4 * std::numbers::pi));
}

topology chain_topology(const chain_request& wanted) {
    random_numbers random(wanted.seed);
    topology result;
    for (index residue = 0; residue < wanted.residues; ++residue) {
        const bool is_last = residue + 1 == wanted.residues;
        add_atoms(result, residue, random);
        add_bonds(result, residue * beads, is_last);
        add_angles(result, residue * beads, is_last);
        if (!is_last) {
            add_dihedrals(result, residue * beads);
        }
    }
    if (wanted.residues > 0) {
        result.molecules.push_back({0, static_cast<index>(result.atoms.size()), 0,
                                    static_cast<index>(result.bonds.size())});
    }
    result.exclude_neighbours();
    return result;
}

}  // namespace cedar
