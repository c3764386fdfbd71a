// SPDX-License-Identifier: BSD-3-Clause
// lazult stacks: runs a program, which tells at its end how deep its ULTs went on their stacks.
#include <CLI/CLI.hpp>

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lazult/base/base.hpp"
#include "tools/lazult/commands.hpp"
#include "tools/lazult/failure.hpp"
#include "tools/lazult/program.hpp"

namespace lazult::tool {
namespace {

const base::setting_description& stack_use_setting() {
    for (const base::setting_definition& row : base::setting_table()) {
        if (row.name == "stack_use") {
            return row;
        }
    }
    std::abort();  // the table has the row
}

void export_output(const std::string& output) {
    const base::setting_description& row = stack_use_setting();
    const std::optional<std::uint64_t> value = base::parse_setting(row, output);
    if (!value || *value <= base::output_on) {
        throw usage_error("option --output", "its value is \"" + output + "\"",
                          "give a file's path, with a / or a . in it");
    }
    ::setenv(row.variable, output.c_str(), 1);
}

}  // namespace

void add_stacks(CLI::App& program, std::vector<std::string> after_dashes) {
    CLI::App* stacks = program.add_subcommand(
        "stacks", "Run a program, and show how deep its ULTs went on their stacks");
    stacks->footer(
        "Everything after -- is the program and its arguments. It runs slower than usual, and each "
        "ULT on a stack of its own. At its end it prints a table on stderr: for each entry "
        "function the number of ULTs, the deepest and the median use, the stack size that they "
        "had, and the one that would do.");
    auto output = std::make_shared<std::string>();
    stacks
        ->add_option("--output", *output,
                     "Write the table to this file, as JSON if its name ends in .json; %p stands "
                     "for the process's number")
        ->type_name("FILE");
    stacks->prefix_command();
    stacks->callback([output, stacks, after_dashes = std::move(after_dashes)] {
        const std::vector<std::string> command = program_of(stacks->remaining(), after_dashes);
        check_program("stacks", command);
        if (output->empty()) {
            ::setenv(stack_use_setting().variable, "on", 1);
        } else {
            export_output(*output);
        }
        execute_program("stacks", command);
    });
}

}  // namespace lazult::tool
