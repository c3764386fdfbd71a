// SPDX-License-Identifier: BSD-3-Clause
#include "apps/cedar/bonded.hpp"

#include "apps/cedar/units.hpp"

#include <algorithm>

namespace cedar {
namespace {

constexpr double scale_of_pairs = 0.5;

struct places {
    std::span<const index> slot_of_atom;
    std::span<const vector3> positions;
    std::span<fixed3> forces;

    const vector3& at(index atom) const { return positions[slot_of_atom[atom]]; }
    // The last atom has what makes the sum of the forces nothing, exactly.
    void add(index atom, const vector3& force, index against) const {
        const fixed3 rounded = to_fixed(force);
        forces[slot_of_atom[atom]] += rounded;
        forces[slot_of_atom[against]] += {-rounded.x, -rounded.y, -rounded.z};
    }
};

double spring(const bond& of, const places& in) {
    const vector3 apart = in.at(of.i) - in.at(of.j);
    const double distance = length(apart);
    const double stretch = distance - of.length;
    in.add(of.i, (-of.stiffness * stretch / distance) * apart, of.j);
    return 0.5 * of.stiffness * stretch * stretch;
}

double bend(const angle& of, const places& in) {
    const vector3 to_i = in.at(of.i) - in.at(of.j);
    const vector3 to_k = in.at(of.k) - in.at(of.j);
    const double length_i = length(to_i);
    const double length_k = length(to_k);
    const vector3 unit_i = (1 / length_i) * to_i;
    const vector3 unit_k = (1 / length_k) * to_k;
    const double cosine = std::clamp(dot(unit_i, unit_k), -1.0, 1.0);
    // A straight angle has no direction to bend to.
    const double sine = std::max(std::sqrt(1 - cosine * cosine), 1e-8);
    const double excess = std::acos(cosine) - of.rest;
    const double pull = of.stiffness * excess / sine;
    in.add(of.i, (pull / length_i) * (unit_k - cosine * unit_i), of.j);
    in.add(of.k, (pull / length_k) * (unit_i - cosine * unit_k), of.j);
    return 0.5 * of.stiffness * excess * excess;
}

// The gradient of the dihedral angle after Blondel and Karplus (1996).
double twist(const dihedral& of, const places& in) {
    const vector3 f = in.at(of.i) - in.at(of.j);
    const vector3 g = in.at(of.j) - in.at(of.k);
    const vector3 h = in.at(of.l) - in.at(of.k);
    const vector3 a = cross(f, g);
    const vector3 b = cross(h, g);
    const double axis = length(g);
    const double phi = std::atan2(dot(cross(b, a), g) / axis, dot(a, b));
    const double slope =
        -of.height * of.multiplicity * std::sin(of.multiplicity * phi - of.phase);  // dE/dphi
    // A straight angle has no plane: there is no torque then.
    const double square_a = std::max(square(a), 1e-12);
    const double square_b = std::max(square(b), 1e-12);
    const vector3 gradient_i = (-axis / square_a) * a;
    const vector3 gradient_l = (axis / square_b) * b;
    const vector3 lever = (dot(f, g) / (square_a * axis)) * a - (dot(h, g) / (square_b * axis)) * b;
    in.add(of.i, -slope * gradient_i, of.k);
    in.add(of.j, -slope * (lever - gradient_i), of.k);
    in.add(of.l, -slope * gradient_l, of.k);
    return of.height * (1 + std::cos(of.multiplicity * phi - of.phase));
}

double scaled(const scaled_pair& of, const topology& in_topology, const places& in) {
    const atom& first = in_topology.atoms[of.i];
    const atom& second = in_topology.atoms[of.j];
    const vector3 apart = in.at(of.i) - in.at(of.j);
    const double inverse_square = 1 / square(apart);
    const double sigma_square = first.sigma * second.sigma * inverse_square;
    const double power_6 = sigma_square * sigma_square * sigma_square;
    const double depth = 4 * scale_of_pairs * std::sqrt(first.epsilon * second.epsilon);
    const double coulomb = scale_of_pairs * coulomb_constant * first.charge * second.charge *
                           std::sqrt(inverse_square);
    const double repulsion = depth * power_6 * power_6;
    const double attraction = depth * power_6;
    in.add(of.i, ((12 * repulsion - 6 * attraction + coulomb) * inverse_square) * apart, of.j);
    return repulsion - attraction + coulomb;
}

void cut(std::vector<batch>& into, term kind, std::size_t count) {
    for (index first = 0; first < count; first += batch_length) {
        into.push_back({kind, first, std::min(batch_length, static_cast<index>(count) - first)});
    }
}

}  // namespace

std::vector<batch> bonded_batches(const topology& of, bool with_springs) {
    std::vector<batch> all;
    if (with_springs) {
        cut(all, term::bond, of.bonds.size());
    }
    cut(all, term::angle, of.angles.size());
    cut(all, term::dihedral, of.dihedrals.size());
    cut(all, term::scaled_pair, of.scaled_pairs.size());
    return all;
}

std::vector<index> atoms_of(const topology& of, const batch& which) {
    std::vector<index> atoms;
    for (index each = which.first; each < which.first + which.count; ++each) {
        if (which.kind == term::bond) {
            atoms.insert(atoms.end(), {of.bonds[each].i, of.bonds[each].j});
        } else if (which.kind == term::angle) {
            const angle& a = of.angles[each];
            atoms.insert(atoms.end(), {a.i, a.j, a.k});
        } else if (which.kind == term::dihedral) {
            const dihedral& d = of.dihedrals[each];
            atoms.insert(atoms.end(), {d.i, d.j, d.k, d.l});
        } else {
            atoms.insert(atoms.end(), {of.scaled_pairs[each].i, of.scaled_pairs[each].j});
        }
    }
    return atoms;
}

energies bonded_forces(const topology& of, const batch& which, std::span<const index> slot_of_atom,
                       std::span<const vector3> positions, std::span<fixed3> forces) {
    const places in{slot_of_atom, positions, forces};
    energies sum;
    for (index each = which.first; each < which.first + which.count; ++each) {
        if (which.kind == term::bond) {
            sum[which.kind] += spring(of.bonds[each], in);
        } else if (which.kind == term::angle) {
            sum[which.kind] += bend(of.angles[each], in);
        } else if (which.kind == term::dihedral) {
            sum[which.kind] += twist(of.dihedrals[each], in);
        } else {
            sum[which.kind] += scaled(of.scaled_pairs[each], of, in);
        }
    }
    return sum;
}

}  // namespace cedar
