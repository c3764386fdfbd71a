// SPDX-License-Identifier: BSD-3-Clause
#include "apps/cedar/non_bonded.hpp"

#include "apps/cedar/pair_laws.hpp"
#include "apps/cedar/units.hpp"

#include <cmath>

namespace cedar {
namespace {

constexpr std::size_t water_pairs = 9;

pair_parameters parameters_of(const site& a, const site& b) {
    return {a.charge * b.charge, a.root_c6 * b.root_c6, a.root_c12 * b.root_c12};
}

void set_centres(const cell_view& of, std::vector<vector3>& centres) {
    centres.resize(of.groups.size());
    for (std::size_t each = 0; each < centres.size(); ++each) {
        const placed_group& group = of.groups[each];
        centres[each] = centre_of(of.positions.subspan(group.first, group.atoms));
    }
}

template <typename Law>
class pair_of_cells {
public:
    pair_of_cells(const pair_list& list, double cutoff, const cell_view& a, const cell_view& b,
                  pair_forces& forces)
        : list_(list), law_(cutoff), a_(a), b_(b), forces_(forces) {}

    energies run() {
        const bool is_one_cell = list_.cells.a == list_.cells.b;
        forces_.on_a.assign(a_.positions.size(), {});
        forces_.on_b.assign(is_one_cell ? 0 : b_.positions.size(), {});
        on_b_ = forces_.second();
        if (!Law::is_by_atoms) {
            set_centres(a_, forces_.centres_a);
            set_centres(b_, forces_.centres_b);
        }
        for (const list_entry& entry : list_.general_entries) {
            general(entry);
        }
        if (!list_.water_entries.empty()) {
            set_water_parameters();
        }
        for (const list_entry& entry : list_.water_entries) {
            water(entry);
        }
        energies result;
        result[term::lennard_jones] = lennard_jones_;
        result[term::coulomb] = coulomb_;
        return result;
    }

private:
    bool is_beyond(index i, index j, const vector3& shift) const {
        if (Law::is_by_atoms) {
            return false;
        }
        const vector3 apart = forces_.centres_b[j] - forces_.centres_a[i] - shift;
        return square(apart) >= law_.square_of_cutoff();
    }

    void general(const list_entry& entry) {
        for (index each = entry.first; each < entry.behind; ++each) {
            const general_partner& partner = list_.general_partners[each];
            if (!is_beyond(entry.group, partner.group, entry.shift)) {
                two_groups(a_.groups[entry.group], b_.groups[partner.group], entry.shift,
                           partner.excluded);
            }
        }
    }

    void two_groups(const placed_group& a, const placed_group& b, const vector3& shift,
                    exclusion_mask excluded) {
        for (index m = 0; m < a.atoms; ++m) {
            const vector3 from = a_.positions[a.first + m] + shift;
            const site& here = a_.sites[a.first + m];
            vector3 sum;
            for (index n = 0; n < b.atoms; ++n) {
                if ((excluded >> (m * largest_group + n) & 1U) != 0) {
                    continue;
                }
                const vector3 apart = from - b_.positions[b.first + n];
                const pair_result found =
                    law_(square(apart), parameters_of(here, b_.sites[b.first + n]));
                const vector3 force = found.force_by_distance * apart;
                sum += force;
                on_b_[b.first + n] -= force;
                lennard_jones_ += found.lennard_jones;
                coulomb_ += found.coulomb;
            }
            forces_.on_a[a.first + m] += sum;
        }
    }

    // All molecules of water are alike.
    void set_water_parameters() {
        const index a = a_.groups[list_.water_entries.front().group].first;
        const index b = b_.groups[list_.water_partners.front()].first;
        for (index pair = 0; pair < water_pairs; ++pair) {
            water_[pair] = parameters_of(a_.sites[a + pair / 3], b_.sites[b + pair % 3]);
        }
    }

    void water(const list_entry& entry) {
        const index first = a_.groups[entry.group].first;
        std::array<vector3, 3> here{};
        for (index m = 0; m < 3; ++m) {
            here[m] = a_.positions[first + m] + entry.shift;
        }
        std::array<vector3, 3> sums{};
        for (index each = entry.first; each < entry.behind; ++each) {
            const index partner = list_.water_partners[each];
            if (!is_beyond(entry.group, partner, entry.shift)) {
                two_waters(here, b_.groups[partner].first, sums);
            }
        }
        for (index m = 0; m < 3; ++m) {
            forces_.on_a[first + m] += sums[m];
        }
    }

    void two_waters(const std::array<vector3, 3>& here, index first, std::array<vector3, 3>& sums) {
        for (index n = 0; n < 3; ++n) {
            const vector3 there = b_.positions[first + n];
            vector3 sum;
            for (index m = 0; m < 3; ++m) {
                const vector3 apart = here[m] - there;
                const pair_result found = law_(square(apart), water_[3 * m + n]);
                const vector3 force = found.force_by_distance * apart;
                sums[m] += force;
                sum += force;
                lennard_jones_ += found.lennard_jones;
                coulomb_ += found.coulomb;
            }
            on_b_[first + n] -= sum;
        }
    }

    const pair_list& list_;
    Law law_;
    const cell_view& a_;
    const cell_view& b_;
    pair_forces& forces_;
    std::span<vector3> on_b_;
    std::array<pair_parameters, water_pairs> water_{};
    double lennard_jones_ = 0;
    double coulomb_ = 0;
};

}  // namespace

site site_of(const atom& of) {
    const double root_depth = std::sqrt(4 * of.epsilon);
    const double cube = of.sigma * of.sigma * of.sigma;
    return {std::sqrt(coulomb_constant) * of.charge, root_depth * cube, root_depth * cube * cube};
}

energies non_bonded_forces(const pair_list& list, const force_settings& settings,
                           const cell_view& a, const cell_view& b, pair_forces& forces) {
    if (settings.law == cutoff_law::shifted) {
        return pair_of_cells<shifted_law>(list, settings.cutoff, a, b, forces).run();
    }
    return pair_of_cells<truncated_law>(list, settings.cutoff, a, b, forces).run();
}

void add_rounded(std::span<const vector3> forces, std::span<fixed3> sums) {
    for (std::size_t each = 0; each < forces.size(); ++each) {
        sums[each] += to_fixed(forces[each]);
    }
}

}  // namespace cedar
