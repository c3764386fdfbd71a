// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lazult/bench/on_ranks.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "tools/lazult/failure.hpp"
#include "tools/lazult/mpi_launcher.hpp"
#include "tools/lazult/openmp_folder.hpp"

namespace lazult::tool {

std::string chosen_mpi(const std::string& wanted, const std::string& benchmark) {
    const std::vector<std::string> known = mpis_with_launcher();
    if (known.empty()) {
        throw failure(
            benchmark, "this build found no MPI with a launcher",
            "install openmpi-bin and libopenmpi-dev, or mpich and libmpich-dev, and build again");
    }
    if (wanted.empty()) {
        return known.front();
    }
    if (std::find(known.begin(), known.end(), wanted) == known.end()) {
        std::string names;
        for (const std::string& each : known) {
            names += " " + each;
        }
        throw usage_error("option --mpi", "there is no \"" + wanted + "\" in this build",
                          "give one of" + names);
    }
    return wanted;
}

std::string program_on_ranks(const std::string& mpi, const std::string& program,
                             const std::string& benchmark, const std::string& target) {
    std::string path = libexec_path("concert/" + mpi + "/" + program);
    if (path.empty()) {
        throw failure(benchmark, "its program for " + mpi + " is not in libexec/lazult/concert",
                      "build the target " + target + "_" + mpi + ", or install again");
    }
    return path;
}

void execute(const std::vector<std::string>& command) {
    std::vector<char*> arguments;
    for (const std::string& word : command) {
        arguments.push_back(const_cast<char*>(word.c_str()));
    }
    arguments.push_back(nullptr);
    ::execvp(arguments[0], arguments.data());
    throw failure(command[0], std::string("it cannot be run (") + std::strerror(errno) + ")",
                  "install the programs of that MPI");
}

}  // namespace lazult::tool
