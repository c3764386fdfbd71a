// SPDX-License-Identifier: BSD-3-Clause
#include "apps/cedar/neighbours.hpp"

#include <algorithm>
#include <cmath>

namespace cedar {
namespace {

// -1, 0 or 1: the edge of the box that brings the coordinate nearest to 0.
int nearest(double difference, double half_edge) {
    return static_cast<int>(difference > half_edge) - static_cast<int>(difference < -half_edge);
}

class lister {
public:
    lister(const topology& of, const grid& cells, const layout& groups,
           std::span<const vector3> positions, const force_settings& settings, cell_pair which)
        : topology_(of),
          grid_(cells),
          by_atoms_(settings.law == cutoff_law::shifted),
          range_(settings.list_range),
          groups_a_(groups.groups_of(which.a)),
          groups_b_(groups.groups_of(which.b)),
          positions_a_(groups.part(positions, which.a)),
          positions_b_(groups.part(positions, which.b)) {
        list_.cells = which;
        for (const placed_group& each : groups_b_) {
            x_.push_back(each.centre.x);
            y_.push_back(each.centre.y);
            z_.push_back(each.centre.z);
            widest_ = std::max(widest_, each.radius);
        }
        squares_.resize(groups_b_.size());
    }

    pair_list run() {
        const bool is_one_cell = list_.cells.a == list_.cells.b;
        for (index i = 0; i < groups_a_.size(); ++i) {
            open_water_ = open_general_ = false;
            set_squares(groups_a_[i].centre);
            const double reach = by_atoms_ ? range_ + groups_a_[i].radius + widest_ : range_;
            // A residue has pairs of atoms inside, too.
            const index inside = groups_a_[i].is_water ? 1 : 0;
            for (index j = is_one_cell ? i + inside : 0; j < groups_b_.size(); ++j) {
                if (squares_[j] < reach * reach) {
                    offer(i, j);
                }
            }
        }
        return std::move(list_);
    }

private:
    // Of the distances of the centres in cell b.
    void set_squares(const vector3& from) {
        const double edge = grid_.box_edge();
        for (std::size_t j = 0; j < squares_.size(); ++j) {
            const double x = folded(x_[j] - from.x, edge);
            const double y = folded(y_[j] - from.y, edge);
            const double z = folded(z_[j] - from.z, edge);
            squares_[j] = x * x + y * y + z * z;
        }
    }

    // The distance along an axis, without its sign, by the way that is shorter in the periodic box.
    static double folded(double difference, double edge) {
        const double apart = std::abs(difference);
        return std::min(apart, edge - apart);
    }

    void offer(index i, index j) {
        const placed_group& a = groups_a_[i];
        const placed_group& b = groups_b_[j];
        const vector3 apart = b.centre - a.centre;
        const double half = grid_.half_edge();
        const image total{nearest(apart.x, half) + b.from[0] - a.from[0],
                          nearest(apart.y, half) + b.from[1] - a.from[1],
                          nearest(apart.z, half) + b.from[2] - a.from[2]};
        const vector3 shift = grid_.shift(total);
        if (squares_[j] < range_ * range_ || is_any_atom_near(a, b, shift)) {
            add(i, j, shift);
        }
    }

    bool is_any_atom_near(const placed_group& a, const placed_group& b,
                          const vector3& shift) const {
        for (index m = 0; m < a.atoms; ++m) {
            const vector3 from = positions_a_[a.first + m] + shift;
            for (index n = 0; n < b.atoms; ++n) {
                if (square(positions_b_[b.first + n] - from) < range_ * range_) {
                    return true;
                }
            }
        }
        return false;
    }

    void add(index i, index j, const vector3& shift) {
        const placed_group& a = groups_a_[i];
        const placed_group& b = groups_b_[j];
        if (a.is_water && b.is_water) {
            list_.water_partners.push_back(j);
            extend(list_.water_entries, open_water_, i, list_.water_partners.size(), shift);
        } else {
            list_.general_partners.push_back({j, mask_of(a, b)});
            extend(list_.general_entries, open_general_, i, list_.general_partners.size(), shift);
        }
    }

    // The last entry has one partner more, if it is of this group and shift.
    static void extend(std::vector<list_entry>& entries, bool& is_open, index i, std::size_t behind,
                       const vector3& shift) {
        const auto end = static_cast<index>(behind);
        if (is_open && entries.back().shift == shift) {
            entries.back().behind = end;
        } else {
            entries.push_back({i, end - 1, end, shift});
        }
        is_open = true;
    }

    exclusion_mask mask_of(const placed_group& a, const placed_group& b) const {
        if (a.is_water || b.is_water) {
            return 0;
        }
        const index first_a = topology_.groups[a.number].first;
        const index first_b = topology_.groups[b.number].first;
        exclusion_mask mask = 0;
        for (index m = 0; m < a.atoms; ++m) {
            for (index n = 0; n < b.atoms; ++n) {
                // Inside one group each pair is there once, too.
                const bool is_second = a.number == b.number && n < m;
                if (is_second || topology_.is_excluded(first_a + m, first_b + n)) {
                    mask |= exclusion_mask{1} << (m * largest_group + n);
                }
            }
        }
        return mask;
    }

    const topology& topology_;
    const grid& grid_;
    bool by_atoms_;
    double range_;
    std::span<const placed_group> groups_a_;
    std::span<const placed_group> groups_b_;
    std::span<const vector3> positions_a_;
    std::span<const vector3> positions_b_;
    std::vector<double> x_;  // of the centres in cell b
    std::vector<double> y_;
    std::vector<double> z_;
    std::vector<double> squares_;
    double widest_ = 0;  // of the groups in cell b
    bool open_water_ = false;
    bool open_general_ = false;
    pair_list list_;
};

}  // namespace

double reach_of(const layout& groups, const force_settings& settings) {
    double radius = 0;
    if (settings.law == cutoff_law::shifted) {
        for (const placed_group& each : groups.groups) {
            radius = std::max(radius, each.radius);
        }
    }
    return settings.list_range + 2 * radius;
}

pair_list list_pairs(const topology& of, const grid& cells, const layout& groups,
                     std::span<const vector3> positions, const force_settings& settings,
                     cell_pair which) {
    return lister(of, cells, groups, positions, settings, which).run();
}

double largest_square(std::span<const vector3> positions, std::span<const vector3> before) {
    double largest = 0;
    for (std::size_t each = 0; each < positions.size(); ++each) {
        largest = std::max(largest, square(positions[each] - before[each]));
    }
    return largest;
}

}  // namespace cedar
