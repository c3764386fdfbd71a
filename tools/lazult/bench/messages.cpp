// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lazult/bench/messages.hpp"

#include <CLI/CLI.hpp>

#include <array>
#include <cstdlib>
#include <vector>

#include "tools/lazult/bench/on_ranks.hpp"
#include "tools/lazult/known_words.hpp"
#include "tools/lazult/mpi_launcher.hpp"

namespace lazult::tool {

void declare_messages(CLI::App& bench, messages_options& options) {
    const auto group = "messages";
    bench.add_option("--mpi", options.mpi, "which MPI; the first that was built")
        ->check(known_words(std::array{"openmpi", "mpich"}))
        ->group(group);
    bench.add_option("--ranks", options.ranks, "processes")
        ->check(CLI::Range(2U, 1024U))
        ->group(group);
    bench
        .add_option("--rounds", options.rounds,
                    "bursts for each figure; messages: 0 for traffic patterns alone")
        ->check(CLI::NonNegativeNumber)
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
    const std::string mpi = chosen_mpi(options.mpi, "bench messages");
    std::vector<std::string> command = mpi_launcher(mpi, "bench messages");
    command.push_back(std::to_string(options.ranks));
    command.push_back(program_on_ranks(mpi, "messages-bench", "bench messages", "messages_bench"));
    for (const std::string& word :
         {std::string("--rounds"), std::to_string(options.rounds), std::string("--iterations"),
          std::to_string(options.iterations)}) {
        command.push_back(word);
    }
    if (options.rounds == 0) {
        command.insert(command.end(), {"--slow-messages", "0"});
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
