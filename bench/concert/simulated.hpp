// SPDX-License-Identifier: BSD-3-Clause
// The paper's figures on simulated ranks: the microkernel (Figures 11 to 13), and what senders pay
// for messages of one size in several patterns (Figure 10).
#pragma once

#include "bench/concert/microkernel.hpp"

#include <lazult_concert_simulation.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace lazult::bench {

struct simulated_kernel_row {
    std::string version;  // base, stack, pull, stack+pull
    kernel_shape shape;
    kernel_work work;
    double efficiency = 0;  // computing / (ranks * elapsed)
    double elapsed_us = 0;
    concert::rank_report all;  // of all ranks together
};

struct source_row {
    std::string scheme;  // push, pull
    std::string pattern;
    std::size_t bytes = 0;
    double source_us = 0;  // harmonic mean over the ranks of what a send costs its sender
};

struct simulated_grid {
    int ranks = 32;
    std::vector<std::string> versions{"base", "stack", "pull", "stack+pull"};
    kernel_grid kernel;
    std::size_t threads = 400;                                        // of each rank
    std::vector<std::size_t> bytes{16, 32, 64, 128, 256, 512, 1024};  // of Figure 10
};

// Each calls told() with how much of it is done, in percent. The first throws std::runtime_error if
// the versions have not done the same work.
using progress = std::function<void(double percent)>;
std::vector<simulated_kernel_row> simulate_microkernel(const concert::machine& on,
                                                       const simulated_grid& grid,
                                                       const progress& told);
std::vector<source_row> simulate_fig10(const concert::machine& on, const simulated_grid& grid,
                                       const progress& told);

// Base is {false, false}.
concert::simulated_version version_of(const std::string& name);

struct simulated_request {
    std::string what;     // microkernel, fig10
    std::string machine;  // t3d, or here
    simulated_grid grid;
    std::string json_file;                // -: in place of the table
    std::vector<std::string> cost_files;  // of `here`: what --json of other parts wrote
};
// Prints a table, and writes JSON. Throws std::runtime_error.
int run_simulated(const simulated_request& wanted);

}  // namespace lazult::bench
