// SPDX-License-Identifier: BSD-3-Clause
// What the programs have in common that run on simulated ranks of Concert: what is wanted of a
// simulation, its machine, and the four versions of the paper.
#pragma once

#include <array>
#include <lazult_concert_simulation.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace simulated_ranks {

struct request {
    std::string machine;     // empty: no simulation
    std::vector<int> ranks;  // one run for each, in each version
    double slower = 33;      // so many times as long as here takes computing
};

struct named_version {
    const char* name;
    lazult::concert::simulated_version how;
};
inline constexpr std::array<named_version, 4> versions{{{"base", {false, false}},
                                                        {"stack", {true, false}},
                                                        {"pull", {false, true}},
                                                        {"stack+pull", {true, true}}}};

// Throws std::invalid_argument for a machine that is not known or a number that makes no sense.
inline lazult::concert::machine machine_of(const request& wanted) {
    using lazult::concert::machine;
    if (wanted.machine != "t3d" && wanted.machine != "t3d-slices") {
        throw std::invalid_argument("--simulate knows no machine " + wanted.machine +
                                    ": give t3d or t3d-slices");
    }
    if (!(wanted.slower > 0)) {
        throw std::invalid_argument("--slower must be above 0");
    }
    return wanted.machine == "t3d" ? machine::t3d() : machine::t3d_with_slices();
}

}  // namespace simulated_ranks
