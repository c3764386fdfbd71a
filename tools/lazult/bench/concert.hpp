// SPDX-License-Identifier: BSD-3-Clause
// lazult bench concert: threads, futures, methods and objects of the Concert door. It starts a
// program of its own, as that needs MPI and this command does not.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace lazult::tool {

// The words of the microkernel go to its program as they are, once they have been checked.
struct concert_options {
    std::string what = "primitives";
    std::vector<double> tau{0.1, 1, 10, 100};
    std::vector<double> local{0, 20, 40, 60, 80, 100};
    std::vector<double> sigma{0.5};
    std::vector<std::string> patterns{"random"};
    std::vector<std::string> versions{"all"};
    double seconds = 0.2;
    // The ranks run in the virtual time of this machine; empty: the ranks are processes.
    std::string simulate;
    std::vector<std::string> costs;
    std::size_t threads = 400;
    std::vector<unsigned> bytes{16, 32, 64, 128, 256, 512, 1024};
};

// What `messages` has, too: which MPI (empty: the first), how many ranks (0: the usual number) and
// rounds. Of the microkernel: how often each version runs.
struct concert_effort {
    std::string mpi;
    unsigned ranks = 0;
    unsigned rounds = 200;
    unsigned repetitions = 3;
};

void declare_concert(CLI::App& bench, concert_options& options);
// Throws usage_error, failure. It may replace this process.
void run_concert(const concert_options& options, const concert_effort& effort,
                 const std::string& json_file);

}  // namespace lazult::tool
