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
constexpr unsigned usual_ranks = 2;

std::vector<std::string> launched(const std::string& mpi, unsigned ranks,
                                  const std::string& program) {
    std::vector<std::string> command = mpi_launcher(mpi, concert_bench_name);
    command.push_back(std::to_string(ranks));
    command.push_back(program);
    return command;
}

using named_words = std::pair<const char*, std::string>;

void append_grid(std::vector<std::string>& command, const concert_options& options) {
    const std::array<named_words, 5> words{{
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

// In this process's place: simulated ranks need no launcher.
void simulate(std::vector<std::string> command, const concert_options& options, unsigned ranks,
              const std::string& json_file) {
    const bool is_kernel = options.what == "microkernel";
    if (!is_kernel && options.what != "fig10") {
        throw usage_error("--simulate", fmt::format("{} cannot be simulated", options.what),
                          "add --what microkernel or --what fig10");
    }
    if (options.simulate == "here" && options.costs.empty()) {
        throw usage_error("--simulate here", "no costs are given",
                          "add --costs with what --json wrote of primitives, schemas and objects");
    }
    append_grid(command, options);
    const unsigned usual = is_kernel ? 32 : 64;
    const std::vector<std::string> all{"base", "stack", "pull", "stack+pull"};
    const bool are_all = std::count(options.versions.begin(), options.versions.end(), "all") != 0;
    const std::array<named_words, 6> words{{
        {"--simulate", options.simulate},
        {"--bytes", fmt::format("{}", fmt::join(options.bytes, ","))},
        {"--costs", fmt::format("{}", fmt::join(options.costs, ","))},
        {"--ranks", std::to_string(ranks == 0 ? usual : ranks)},
        {"--threads", std::to_string(options.threads)},
        {"--version", fmt::format("{}", fmt::join(are_all ? all : options.versions, ","))},
    }};
    for (const auto& [name, value] : words) {
        command.insert(command.end(), {name, value});
    }
    if (!json_file.empty()) {
        command.insert(command.end(), {"--json", json_file});
    }
    execute(command);
}

void declare_simulation(CLI::App& bench, concert_options& options, const char* group) {
    const std::vector<std::string> machines{"t3d", "t3d-slices", "here"};
    bench
        .add_option("--simulate", options.simulate,
                    "microkernel, fig10: ranks in virtual time, of this machine")
        ->check(CLI::IsMember(machines))
        ->group(group);
    bench.add_option("--costs", options.costs, "simulate here: files that --json wrote")
        ->delimiter(',')
        ->check(CLI::ExistingFile)
        ->group(group);
    bench.add_option("--bytes", options.bytes, "fig10: of each message")
        ->delimiter(',')
        ->check(CLI::Range(1, 65'536))
        ->group(group);
    bench.add_option("--threads", options.threads, "simulated microkernel: of each rank")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str()
        ->group(group);
}

}  // namespace

void declare_concert(CLI::App& bench, concert_options& options) {
    const auto group = "concert";
    const std::vector<std::string> parts{"primitives", "schemas",     "fib",
                                         "objects",    "microkernel", "fig10"};
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
    declare_simulation(bench, options, group);
}

void run_concert(const concert_options& options, const concert_effort& effort,
                 const std::string& json_file) {
    const std::string mpi = chosen_mpi(effort.mpi, concert_bench_name);
    const std::string program =
        program_on_ranks(mpi, "concert-bench", concert_bench_name, "concert_bench");
    if (!options.simulate.empty()) {
        simulate({program, options.what}, options, effort.ranks, json_file);
        return;
    }
    if (options.what == "fig10") {
        throw usage_error("--what fig10", "it is there for simulated ranks alone",
                          "add --simulate t3d");
    }
    // Several ranks on one machine must not bind their streams to the same processors, nor have
    // more streams than that.
    ::setenv("LAZULT_BIND", "off", 0);
    ::setenv("LAZULT_STREAMS", "1", 0);
    const bool on_ranks = options.what == "objects" || options.what == "microkernel";
    std::vector<std::string> command =
        on_ranks ? launched(mpi, effort.ranks == 0 ? usual_ranks : effort.ranks, program)
                 : std::vector<std::string>{program};
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
