// SPDX-License-Identifier: BSD-3-Clause
// lazult run: options become the environment of a program, one option for each row of the table of
// settings.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lazult/base/base.hpp"
#include "tools/lazult/commands.hpp"
#include "tools/lazult/failure.hpp"
#include "tools/lazult/known_words.hpp"
#include "tools/lazult/mpi_family.hpp"
#include "tools/lazult/openmp_runtime.hpp"
#include "tools/lazult/posix_library.hpp"
#include "tools/lazult/program.hpp"

namespace lazult::tool {
namespace {

struct setting_option {
    const base::setting_description* row;
    std::string text;
};

struct run_options {
    std::vector<setting_option> settings;
    bool mpi = false;
    std::string mpi_family;
    bool openmp = false;
    bool preload = false;
    bool posix = false;
    std::vector<std::string> command;
};

std::string option_name(const base::setting_description& row) {
    std::string name = "--" + std::string(row.name);
    std::replace(name.begin(), name.end(), '_', '-');
    return name;
}

const char* kind_of_value(base::setting_type type) {
    switch (type) {
        case base::setting_type::boolean:
        case base::setting_type::choice: return "WORD";
        case base::setting_type::bytes: return "SIZE";
        case base::setting_type::nanoseconds: return "TIME";
        case base::setting_type::output: return "FILE";
        case base::setting_type::count: break;
    }
    return "NUMBER";
}

void describe_value(CLI::Option& option, const base::setting_description& row) {
    option.type_name(kind_of_value(row.type));
    if (!row.choices.empty()) {
        option.check(known_words(row.choices));
    } else if (row.type == base::setting_type::boolean || row.type == base::setting_type::output) {
        option.check(known_words(std::array{"on", "off"}));
    }
}

void export_setting(const setting_option& option) {
    if (!base::parse_setting(*option.row, option.text)) {
        throw usage_error("option " + option_name(*option.row),
                          "its value is \"" + option.text + "\"",
                          "give " + base::accepted_values(*option.row));
    }
    ::setenv(option.row->variable, option.text.c_str(), 1);
}

void run_program(const run_options& options) {
    check_program("run", options.command);
    for (const setting_option& option : options.settings) {
        if (!option.text.empty()) {
            export_setting(option);
        }
    }
    if (options.mpi || !options.mpi_family.empty()) {
        export_mpi(options.command.front(), options.mpi_family);
    }
    if (options.openmp || options.preload) {
        export_openmp(options.command.front(), options.preload);
    }
    if (options.posix) {
        export_posix(options.command.front());
    }
    execute_program("run", options.command);
}

}  // namespace

void add_run(CLI::App& program, std::vector<std::string> after_dashes) {
    auto options = std::make_shared<run_options>();
    CLI::App* run =
        program.add_subcommand("run", "Run a program with Lazult's settings in its environment");
    run->footer(
        "Everything after -- is the program and its arguments. `lazult info` shows the settings in "
        "force.");
    // The elements' addresses are bound below.
    const std::vector<const base::setting_description*> rows = base::all_settings();
    options->settings.reserve(rows.size());
    for (const base::setting_description* row : rows) {
        setting_option& option = options->settings.emplace_back(setting_option{row, {}});
        CLI::Option* added = run->add_option(option_name(*row), option.text,
                                             std::string(row->doc) + " (" + row->variable + ")");
        describe_value(*added, *row);
    }
    run->add_flag("--mpi", options->mpi,
                  "MPI calls of ULTs suspend them: preloads our library for the program's MPI");
    run->add_option("--mpi-family", options->mpi_family,
                    "As --mpi, for a program that does not show which MPI it uses")
        ->check(CLI::IsMember({"openmpi", "mpich"}));
    run->add_flag("--openmp", options->openmp,
                  "Over our libgomp.so.1: says which one the program gets");
    run->add_flag(
        "--preload", options->preload,
        "As --openmp, preloaded: also for libraries that bring a copy of gcc's under another name");
    run->add_flag("--posix", options->posix,
                  "Blocking calls and locks of the C library suspend the ULT that makes them");
    run->prefix_command();
    run->callback([options, run, after_dashes = std::move(after_dashes)] {
        options->command = program_of(run->remaining(), after_dashes);
        run_program(*options);
    });
}

}  // namespace lazult::tool
