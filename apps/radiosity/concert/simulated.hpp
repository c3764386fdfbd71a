// SPDX-License-Identifier: BSD-3-Clause
// The program on simulated ranks, in Concert's four versions (Figure 14 of the paper).
#pragma once

#include <string>
#include <vector>

#include "apps/radiosity/command_line.hpp"

namespace radiosity {

struct simulated_request {
    std::string machine;                         // empty: no simulation
    std::vector<int> ranks{1, 2, 4, 8, 16, 32};  // one run for each, in each version
    double slower = 33;                          // so many times as long as here takes computing
};

// Prints a table, shows progress, and writes JSON if that is asked for. Throws
// std::invalid_argument for a machine that is not known or a number that makes no sense.
void simulate(const request& given, const simulated_request& how);

}  // namespace radiosity
