// SPDX-License-Identifier: BSD-3-Clause
#include "apps/cedar/chain.hpp"
#include "apps/cedar/compact.hpp"
#include "apps/cedar/random.hpp"
#include "apps/cedar/units.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace cedar {
namespace {

constexpr unsigned tries = 60;              // of a residue, before the walk goes back
constexpr unsigned failures_to_grow = 400;  // of residues, before the sphere grows
constexpr double growth = 1.02;
constexpr double looseness = 1.5;             // of the sphere that the walk begins with
constexpr double least_between_beads = 0.32;  // nm
constexpr double least_between_sides = 0.42;  // of two CB

// `length` from c, at this angle with b, turned by `torsion` about the axis from b to c against a.
vector3 placed(const vector3& a, const vector3& b, const vector3& c, double distance, double bend,
               double torsion) {
    const vector3 axis = unit(c - b);
    const vector3 normal = unit(cross(b - a, axis));
    const vector3 side = cross(normal, axis);
    return c + (-distance * std::cos(bend)) * axis +
           (distance * std::sin(bend) * std::cos(torsion)) * side +
           (distance * std::sin(bend) * std::sin(torsion)) * normal;
}

using residue = std::array<vector3, beads>;  // N, CA, CB, C, O

class walk {
public:
    explicit walk(const chain_request& wanted)
        : random_(wanted.seed ^ 0x5eedU),
          residues_(wanted.residues),
          radius_(looseness * chain_radius(wanted.residues)) {}

    std::vector<vector3> run() {
        unsigned failures = 0;
        std::size_t back = 1;
        while (done_.size() < residues_) {
            if (add_residue()) {
                continue;
            }
            // Farther back each time, until a way is found.
            done_.resize(done_.size() - std::min(done_.size(), back));
            back = back % 12 + 1;
            if (++failures % failures_to_grow == 0) {
                radius_ *= growth;
            }
        }
        std::vector<vector3> beads_of_all;
        for (const residue& each : done_) {
            beads_of_all.insert(beads_of_all.end(), each.begin(), each.end());
        }
        return beads_of_all;
    }

private:
    bool add_residue() {
        for (unsigned each = 0; each < tries; ++each) {
            residue next = done_.empty() ? first() : after(done_.back());
            if (fits(next)) {
                done_.push_back(next);
                return true;
            }
        }
        return false;
    }

    double torsion(double low, double high) { return degrees(random_.between(low, high)); }

    residue first() {
        const vector3 nitrogen = random_.between(0, radius_ / 2) * random_.direction();
        const vector3 before = nitrogen + 0.133 * random_.direction();
        const vector3 alpha = placed(nitrogen + random_.direction(), before, nitrogen, 0.147,
                                     degrees(122), torsion(-180, 180));
        return rest_of(before, nitrogen, alpha);
    }

    // The O of the residue before stands against the N of this one.
    residue after(residue& before) {
        const vector3& carbon = before[3];
        const double psi = torsion(-180, 180);
        const vector3 nitrogen = placed(before[0], before[1], carbon, 0.133, degrees(116.5), psi);
        before[4] =
            placed(before[0], before[1], carbon, 0.123, degrees(120.5), psi + std::numbers::pi);
        const vector3 alpha =
            placed(before[1], carbon, nitrogen, 0.147, degrees(122), std::numbers::pi);
        return rest_of(carbon, nitrogen, alpha);
    }

    residue rest_of(const vector3& carbon_before, const vector3& nitrogen, const vector3& alpha) {
        const double phi = torsion(-160, -50);
        const vector3 side =
            placed(carbon_before, nitrogen, alpha, 0.153, degrees(110), phi - degrees(121.5));
        const vector3 carbon = placed(carbon_before, nitrogen, alpha, 0.153, degrees(111), phi);
        const vector3 oxygen =
            placed(nitrogen, alpha, carbon, 0.123, degrees(120.5), torsion(-180, 180));
        return {nitrogen, alpha, side, carbon, oxygen};
    }

    bool fits(const residue& next) const {
        if (length(next[1]) > radius_ || length(next[2]) > radius_) {
            return false;
        }
        for (std::size_t other = 0; other + 1 < done_.size(); ++other) {
            if (do_clash(next, done_[other])) {
                return false;
            }
        }
        return done_.empty() || square(next[2] - done_.back()[2]) > square_of_least(2, 2);
    }

    static double square_of_least(std::size_t bead, std::size_t other) {
        const double least = bead == 2 && other == 2 ? least_between_sides : least_between_beads;
        return least * least;
    }

    // The O of `next` may still turn.
    static bool do_clash(const residue& next, const residue& other) {
        for (std::size_t bead = 0; bead < 4; ++bead) {
            for (std::size_t against = 0; against < beads; ++against) {
                if (square(next[bead] - other[against]) < square_of_least(bead, against)) {
                    return true;
                }
            }
        }
        return false;
    }

    random_numbers random_;
    std::size_t residues_;
    double radius_;
    std::vector<residue> done_;
};

}  // namespace

std::vector<vector3> fold_chain(const chain_request& wanted) {
    std::vector<vector3> positions = walk(wanted).run();
    compact(chain_topology(wanted), chain_radius(wanted.residues), positions);
    return positions;
}

}  // namespace cedar
