// SPDX-License-Identifier: BSD-3-Clause
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "tools/lazult/commands.hpp"
#include "tools/lazult/failure.hpp"

namespace lazult::tool {

std::string_view version() noexcept { return LAZULT_VERSION; }

namespace {

int complain(const std::exception& problem, int exit_code) {
    std::fprintf(stderr, "%s\n", problem.what());
    return exit_code;
}

// Cuts the command line of `lazult run` and `lazult stacks` at the first `--`, and returns what
// stood behind it.
std::vector<std::string> cut_after_dashes(int& argc, char** argv) {
    if (argc < 2 || (argv[1] != std::string_view("run") && argv[1] != std::string_view("stacks"))) {
        return {};
    }
    char** end = argv + argc;
    char** dashes = std::find(argv, end, std::string_view("--"));
    if (dashes == end) {
        return {};
    }
    argc = static_cast<int>(dashes - argv);
    return {dashes + 1, end};
}

void check_subcommand(const CLI::App& program, int argc, char** argv) {
    if (argc < 2 || argv[1][0] == '-') {
        return;
    }
    const auto named = [&](const CLI::App* subcommand) {
        return subcommand->get_name() == argv[1];
    };
    if (program.get_subcommands(named).empty()) {
        throw usage_error("command line", std::string("there is no subcommand \"") + argv[1] + "\"",
                          "give info, bench, run, stacks or soak; see `lazult --help`");
    }
}

int run(int argc, char** argv) {
    CLI::App program(
        "Lazult: lightweight threading. A thread costs a function call until it blocks.", "lazult");
    program.set_version_flag("--version", "lazult " + std::string(version()));
    program.require_subcommand(1);
    program.failure_message([](const CLI::App*, const CLI::Error& error) {
        return base::describe_misuse("command line", error.what(), "see `lazult --help`") + "\n";
    });
    add_info(program);
    add_bench(program);
    add_soak(program);
    add_generate(program);
    const std::vector<std::string> after_dashes = cut_after_dashes(argc, argv);
    add_run(program, after_dashes);
    add_stacks(program, after_dashes);
    try {
        check_subcommand(program, argc, argv);
        program.parse(argc, argv);
        return 0;
    } catch (const CLI::ParseError& error) {
        return program.exit(error) == 0 ? 0 : 2;
    } catch (const usage_error& error) {
        return complain(error, 2);
    } catch (const std::exception& error) {
        return complain(error, 1);
    }
}

}  // namespace
}  // namespace lazult::tool

int main(int argc, char** argv) { return lazult::tool::run(argc, argv); }
