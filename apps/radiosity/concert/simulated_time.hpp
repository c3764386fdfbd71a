// SPDX-License-Identifier: BSD-3-Clause
// What computing takes on simulated ranks: counts, each with a price. So a simulation does not
// depend on what else this machine does. On other ranks nothing happens here.
#pragma once

#include <cstddef>

#include "apps/radiosity/visibility.hpp"

namespace radiosity {

// How many times as long computing takes on the simulated machine. Set before a simulation.
void set_simulated_slowness(double factor);

// The rank's clock goes on by the price of what was done.
void spend_time_of(const ray_work& done);
void spend_time_of_couplings(std::size_t made);

}  // namespace radiosity
