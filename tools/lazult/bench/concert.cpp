// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lazult/bench/concert.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "tools/lazult/bench/kernel_versions.hpp"
#include "tools/lazult/bench/on_ranks.hpp"
#include "tools/lazult/failure.hpp"
#include "tools/lazult/mpi_launcher.hpp"

namespace lazult::tool {
namespace {

constexpr auto concert_bench_name = "bench concert";

std::vector<std::string> launched(const std::string& mpi, unsigned ranks,
                                  const std::string& program) {
    std::vector<std::string> command = mpi_launcher(mpi, concert_bench_name);
    command.push_back(std::to_string(ranks));
    command.push_back(program);
    return command;
}

void append_grid(std::vector<std::string>& command, const concert_options& options) {
    const std::array<std::pair<const char*, std::string>, 5> words{{
        {"--tau", fmt::format("{}", fmt::join(options.tau, ","))},
        {"--local", fmt::format("{}", fmt::join(options.local, ","))},
        {"--sigma", fmt::format("{}", fmt::join(options.sigma, ","))},
        {"--pattern", fmt::format("{}", fmt::join(options.patterns, ","))},
        {"--seconds", fmt::format("{}", options.seconds)},
    }};
    for (const auto& [name, value] : words) {
        command.insert(command.end(), {name, value});
    }
}

}  // namespace

void declare_concert(CLI::App& bench, concert_options& options) {
    const auto group = "concert";
    const std::vector<std::string> parts{"primitives", "schemas", "objects", "microkernel"};
    bench.add_option("--what", options.what, "which part of it")
        ->check(CLI::IsMember(parts))
        ->capture_default_str()
        ->group(group);
    bench.add_option("--tau", options.tau, "microkernel: microseconds that a thread computes")
        ->delimiter(',')
        ->check(CLI::PositiveNumber)
        ->group(group);
    bench.add_option("--local", options.local, "microkernel: percent of threads without a message")
        ->delimiter(',')
        ->check(CLI::Range(0.0, 100.0))
        ->group(group);
    bench.add_option("--sigma", options.sigma, "microkernel: deviation of tau, in tau")
        ->delimiter(',')
        ->check(CLI::Range(0.0, 10.0))
        ->group(group);
    const std::vector<std::string> patterns{"all-to-all", "random", "hotspot4", "hotspot16"};
    bench.add_option("--pattern", options.patterns, "microkernel: which ranks are read")
        ->delimiter(',')
        ->check(CLI::IsMember(patterns))
        ->group(group);
    const std::vector<std::string> versions{"base", "stack", "pull", "stack+pull", "all"};
    bench.add_option("--version", options.versions, "microkernel: of the runtime")
        ->delimiter(',')
        ->check(CLI::IsMember(versions))
        ->group(group);
    bench.add_option("--seconds", options.seconds, "microkernel: of computing on each rank")
        ->check(CLI::PositiveNumber)
        ->group(group);
}

void run_concert(const concert_options& options, const concert_effort& effort,
                 const std::string& json_file) {
    const std::string mpi = chosen_mpi(effort.mpi, concert_bench_name);
    const std::string program =
        program_on_ranks(mpi, "concert-bench", concert_bench_name, "concert_bench");
    // Several ranks on one machine must not bind their streams to the same processors, nor have
    // more streams than that.
    ::setenv("LAZULT_BIND", "off", 0);
    ::setenv("LAZULT_STREAMS", "1", 0);
    const bool on_ranks = options.what == "objects" || options.what == "microkernel";
    std::vector<std::string> command =
        on_ranks ? launched(mpi, effort.ranks, program) : std::vector<std::string>{program};
    command.push_back(options.what);
    if (options.what == "microkernel") {
        append_grid(command, options);
        run_kernel_versions(command, {options.versions, effort.repetitions}, json_file);
        return;
    }
    command.insert(command.end(), {"--rounds", std::to_string(effort.rounds)});
    if (!json_file.empty()) {
        command.insert(command.end(), {"--json", json_file});
    }
    execute(command);
}

}  // namespace lazult::tool
