// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lazult/bench/messages.hpp"

#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "tools/lazult/failure.hpp"
#include "tools/lazult/known_words.hpp"
#include "tools/lazult/mpi_launcher.hpp"
#include "tools/lazult/openmp_folder.hpp"

namespace lazult::tool {
namespace {

std::string chosen_mpi(const std::string& wanted) {
    const std::vector<std::string> known = mpis_with_launcher();
    if (known.empty()) {
        throw failure(
            "bench messages", "this build found no MPI with a launcher",
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

std::string program_of(const std::string& mpi) {
    std::string program = libexec_path("concert/" + mpi + "/messages-bench");
    if (program.empty()) {
        throw failure("bench messages",
                      "its program for " + mpi + " is not in libexec/lazult/concert",
                      "build the target messages_bench_" + mpi + ", or install again");
    }
    return program;
}

[[noreturn]] void execute(const std::vector<std::string>& command) {
    std::vector<char*> arguments;
    for (const std::string& word : command) {
        arguments.push_back(const_cast<char*>(word.c_str()));
    }
    arguments.push_back(nullptr);
    ::execvp(arguments[0], arguments.data());
    throw failure(command[0], std::string("it cannot be run (") + std::strerror(errno) + ")",
                  "install the programs of that MPI");
}

}  // namespace

void declare_messages(CLI::App& bench, messages_options& options) {
    const auto group = "messages";
    bench.add_option("--mpi", options.mpi, "which MPI; the first that was built")
        ->check(known_words(std::array{"openmpi", "mpich"}))
        ->group(group);
    bench.add_option("--ranks", options.ranks, "processes")
        ->check(CLI::Range(2U, 1024U))
        ->group(group);
    bench.add_option("--rounds", options.rounds, "bursts for each figure")
        ->check(CLI::PositiveNumber)
        ->group(group);
    bench
        .add_option("--sends", options.iterations,
                    "sends of each rank in each traffic pattern; 0: no patterns")
        ->group(group);
    bench
        .add_option("--tiers", options.tiers, "auto, or far: one-sided calls also within the node")
        ->check(CLI::IsMember({"auto", "far"}))
        ->group(group);
}

void run_messages(const messages_options& options, const std::string& json_file) {
    const std::string mpi = chosen_mpi(options.mpi);
    std::vector<std::string> command = mpi_launcher(mpi, "bench messages");
    command.push_back(std::to_string(options.ranks));
    command.push_back(program_of(mpi));
    for (const std::string& word :
         {std::string("--rounds"), std::to_string(options.rounds), std::string("--iterations"),
          std::to_string(options.iterations)}) {
        command.push_back(word);
    }
    if (!json_file.empty()) {
        command.insert(command.end(), {"--json", json_file});
    }
    ::setenv("LAZULT_CONCERT_TIERS", options.tiers.c_str(), 1);
    // Several ranks on one machine must not bind their streams to the same processors.
    ::setenv("LAZULT_BIND", "off", 0);
    execute(command);
}

}  // namespace lazult::tool
