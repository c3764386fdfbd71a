// SPDX-License-Identifier: BSD-3-Clause
// The iterations, as one rank directs them. The other ranks serve calls meanwhile.
#pragma once

#include "apps/radiosity/concert/shared_element.hpp"
#include "apps/radiosity/run.hpp"

namespace radiosity {

// Makes a root for each patch of the replica, one at each place and so on, with its interactions.
element_array make_roots();
outcome solve_over_ranks(const element_array& roots, const settings& with);
// In the order of the roots, as the sequential program counts.
tree_count count(const element_array& roots);
void end_roots(const element_array& roots);

}  // namespace radiosity
