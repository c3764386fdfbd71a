// SPDX-License-Identifier: BSD-3-Clause
// The microkernel of Karamcheti, Plevyak and Chien, section 5 (Figure 3): independent threads that
// read an object three times, and compute.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lazult::bench {

// What one run is made with.
struct kernel_shape {
    std::string pattern;      // of the remote objects: all-to-all, random, hotspot4, hotspot16
    double tau_us = 10;       // the mean of the time that a thread computes
    double sigma = 0.5;       // its standard deviation, as a multiple of tau
    double local = 50;        // percent of the threads whose object is on their own rank
    double seconds = 0.2;     // of computing on each rank, about
    std::size_t threads = 0;  // of each rank; 0: as many as compute that long
};

// The same in each version of the runtime, or calls were lost.
struct kernel_work {
    std::uint64_t threads = 0;
    std::uint64_t remote_threads = 0;
    std::uint64_t accesses = 0;          // that the objects have counted
    std::uint64_t hottest_accesses = 0;  // of the object that was read most often
    std::uint64_t result = 0;
};

struct kernel_row {
    kernel_shape shape;
    kernel_work work;
    double efficiency = 0;  // computing / (ranks * elapsed)
    double elapsed_ns = 0;
    double contexts = 0;      // made for each thread
    double served_later = 0;  // calls that came and could not end at once, for each remote thread
};

struct kernel_grid {
    std::vector<std::string> patterns{"random"};
    std::vector<double> tau_us{0.1, 1, 10, 100};
    std::vector<double> sigma{0.5};
    std::vector<double> local{0, 20, 40, 60, 80, 100};
    double seconds = 0.2;
};

// On all ranks; the rows are rank 0's. The version is the environment's.
std::vector<kernel_row> run_microkernel(const kernel_grid& grid);

}  // namespace lazult::bench
