// SPDX-License-Identifier: BSD-3-Clause
// lazult generate: the manual page and the completions, made from the options that the program has.
// The build calls it, and --help does not name it.
#include <CLI/CLI.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>

#include "tools/lazult/commands.hpp"
#include "tools/lazult/failure.hpp"
#include "tools/lazult/generate/formats.hpp"

namespace lazult::tool {
namespace {

struct generate_options {
    std::string what;
    std::string file;
};

std::string generated(const command_facts& program, const std::string& what) {
    if (what == "man") {
        return man_page(program);
    }
    if (what == "bash") {
        return bash_completion(program);
    }
    return what == "zsh" ? zsh_completion(program) : fish_completion(program);
}

void write_generated(const std::string& text, const std::string& path) {
    std::ofstream file(path);
    file << text;
    if (!file.flush()) {
        throw failure("option --to", path + " cannot be written (" + std::strerror(errno) + ")",
                      "give a file in a folder that can be written");
    }
}

}  // namespace

void add_generate(CLI::App& program) {
    auto options = std::make_shared<generate_options>();
    CLI::App* generate =
        program.add_subcommand("generate", "Print the manual page, or completions for a shell");
    generate->group("");
    generate->add_option("WHAT", options->what, "what to print")
        ->required()
        ->check(CLI::IsMember({"man", "bash", "zsh", "fish"}));
    generate->add_option("--to", options->file, "write it there")->type_name("FILE");
    generate->callback([options, &program] {
        const std::string text = generated(command_tree(program), options->what);
        if (!options->file.empty()) {
            write_generated(text, options->file);
        } else {
            std::fputs(text.c_str(), stdout);
        }
    });
}

}  // namespace lazult::tool
