// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lazult/bench/mpi.hpp"

#include <fmt/core.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "tools/lazult/failure.hpp"
#include "tools/lazult/mpi_family.hpp"

namespace lazult::tool {
namespace {

// Both processes share a small machine: neither may be bound to the other's processor.
std::string launcher_of(const std::string& family) {
    return family == "openmpi"
               ? "$(command -v mpirun.openmpi || echo mpirun) --oversubscribe --bind-to none -n 2 "
               : "$(command -v mpiexec.mpich || echo mpiexec) -n 2 ";
}

void measure(const std::string& family, const bench_options& options) {
    fmt::print("{}:\n", family);
    std::fflush(stdout);
    const std::string program = (mpi_folder(family) / "ping_pong").string();
    const std::string command =
        launcher_of(family) + '\'' + program + '\'' +
        fmt::format(" --reps {} --rounds {}", options.how.repetitions, options.n_or(4096));
    if (const int status = std::system(command.c_str()); status != 0) {
        throw failure("benchmark mpi",
                      fmt::format("the job of {} ended with code {}", family,
                                  WIFEXITED(status) ? WEXITSTATUS(status) : 128),
                      "look at what it printed; as root, Open MPI wants OMPI_ALLOW_RUN_AS_ROOT=1 and "
                      "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1");
    }
}

}  // namespace

void run_mpi_benchmark(const bench_options& options) {
    const std::vector<std::string> families = mpi_families();
    if (families.empty()) {
        throw usage_error("benchmark mpi", "no MPI door is installed beside this command",
                          "build it with Open MPI or MPICH");
    }
    ::setenv("LAZULT_STREAMS", "1", 0);
    for (const std::string& family : families) {
        measure(family, options);
    }
}

}  // namespace lazult::tool
