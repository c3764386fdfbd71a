// SPDX-License-Identifier: BSD-3-Clause
// The program on simulated ranks, in Concert's four versions (Figure 14 of the paper).
#pragma once

#include "apps/common/simulated_ranks.hpp"
#include "apps/radiosity/command_line.hpp"

namespace radiosity {

// Prints a table, shows progress, and writes JSON if that is asked for. Throws
// std::invalid_argument for a machine that is not known or a number that makes no sense.
void simulate(const request& given, const simulated_ranks::request& how);

}  // namespace radiosity
