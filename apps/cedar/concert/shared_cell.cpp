// SPDX-License-Identifier: BSD-3-Clause
#include "apps/cedar/concert/shared_cell.hpp"

#include "apps/cedar/concert/rank_share.hpp"

namespace cedar {
namespace {

std::vector<vector3> copy_of(std::span<const vector3> some) { return {some.begin(), some.end()}; }

}  // namespace

shared_cell::shared_cell(std::uint64_t i)
    : cell_(static_cast<index>(i / static_cast<std::uint64_t>(concert_size()))) {}

std::vector<vector3> shared_cell::positions() const {
    return copy_of(share_here().positions_of(cell_));
}

std::vector<vector3> shared_cell::velocities() const {
    return copy_of(share_here().velocities_of(cell_));
}

std::vector<vector3> shared_cell::positions_of_tied() const {
    return share_here().kept_of_tied(cell_);
}

void shared_cell::add_forces(const std::vector<fixed3>& more) {
    const std::span<fixed3> sums = share_here().forces_of(cell_);
    for (std::size_t each = 0; each < more.size(); ++each) {
        sums[each] += more[each];
    }
    share_here().computed().add(computing::summed_atom, more.size());
}

}  // namespace cedar
