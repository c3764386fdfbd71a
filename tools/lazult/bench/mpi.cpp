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
#include "tools/lazult/mpi_launcher.hpp"
#include "tools/lazult/openmp_folder.hpp"

namespace lazult::tool {
namespace {

// Programs and folders may have blanks in their names.
std::string quoted(const std::vector<std::string>& words) {
    std::string line;
    for (const std::string& word : words) {
        line += '\'' + word + "' ";
    }
    return line;
}

std::string command_of(const std::string& family, const bench_options& options) {
    std::vector<std::string> words = mpi_launcher(family, "benchmark mpi");
    const std::string program = libexec_path("mpi/" + family + "/ping_pong");
    if (program.empty()) {
        throw failure("benchmark mpi",
                      "its program for " + family + " is not in libexec/lazult/mpi",
                      "build the target mpi_ping_pong_" + family + ", or install again");
    }
    const std::string repetitions = std::to_string(options.how.repetitions);
    const std::string rounds = std::to_string(options.n_or(4096));
    words.insert(words.end(), {"2", program, "--reps", repetitions, "--rounds", rounds});
    return quoted(words);
}

void measure(const std::string& family, const bench_options& options) {
    fmt::print("{}:\n", family);
    std::fflush(stdout);
    const std::string command = command_of(family, options);
    if (const int status = std::system(command.c_str()); status != 0) {
        throw failure("benchmark mpi",
                      fmt::format("the job of {} ended with code {}", family,
                                  WIFEXITED(status) ? WEXITSTATUS(status) : 128),
                      "look at what it printed; as root, Open MPI wants OMPI_ALLOW_RUN_AS_ROOT=1 "
                      "and OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1");
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
