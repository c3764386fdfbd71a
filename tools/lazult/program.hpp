// SPDX-License-Identifier: BSD-3-Clause
// The program that a subcommand runs in its own place.
#pragma once

#include <string>
#include <vector>

namespace lazult::tool {

// Joins a program and its arguments. Words before `--` that are no options are the program already,
// and the dashes are its own.
std::vector<std::string> program_of(std::vector<std::string> before_dashes,
                                    const std::vector<std::string>& after_dashes);
// Throws usage_error if there is no program.
void check_program(const std::string& subcommand, const std::vector<std::string>& program);
// Replaces this process. Exit codes as a shell's: 127 for a program that is not there, 126 for one
// that is no program.
[[noreturn]] void execute_program(const std::string& subcommand,
                                  const std::vector<std::string>& program);

}  // namespace lazult::tool
