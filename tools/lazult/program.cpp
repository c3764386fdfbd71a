// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lazult/program.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "lazult/base/base.hpp"
#include "tools/lazult/failure.hpp"

namespace lazult::tool {

std::vector<std::string> program_of(std::vector<std::string> before_dashes,
                                    const std::vector<std::string>& after_dashes) {
    if (!before_dashes.empty() && !after_dashes.empty()) {
        before_dashes.emplace_back("--");
    }
    before_dashes.insert(before_dashes.end(), after_dashes.begin(), after_dashes.end());
    return before_dashes;
}

void check_program(const std::string& subcommand, const std::vector<std::string>& program) {
    if (program.empty()) {
        throw usage_error(subcommand, "it names no program",
                          "write `lazult " + subcommand + " [OPTIONS] -- PROGRAM [ARGUMENTS]`");
    }
}

void execute_program(const std::string& subcommand, const std::vector<std::string>& program) {
    std::vector<char*> arguments;
    for (const std::string& word : program) {
        arguments.push_back(const_cast<char*>(word.c_str()));
    }
    arguments.push_back(nullptr);
    ::execvp(arguments[0], arguments.data());
    const int reason = errno;
    const std::string words = base::describe_misuse(
        program[0], "it cannot be run (" + std::string(std::strerror(reason)) + ")",
        "give the path of a program after `lazult " + subcommand + " ... --`");
    std::fprintf(stderr, "%s\n", words.c_str());
    std::exit(reason == ENOENT ? 127 : 126);
}

}  // namespace lazult::tool
