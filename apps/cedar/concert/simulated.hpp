// SPDX-License-Identifier: BSD-3-Clause
// The program on simulated ranks, in Concert's four versions (Figure 15 of the paper).
#pragma once

#include "apps/cedar/command_line.hpp"
#include "apps/common/simulated_ranks.hpp"

namespace cedar {

// Prints a table, shows progress, and writes JSON if that is asked for. Throws
// std::invalid_argument for a machine that is not known or a number that makes no sense, and
// std::runtime_error if a run does not find what the plain program finds.
void simulate(const arguments& given, const simulated_ranks::request& how);

}  // namespace cedar
