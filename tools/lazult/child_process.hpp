// SPDX-License-Identifier: BSD-3-Clause
// A program run to its end.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace lazult::tool {

using variable_list = std::vector<std::pair<std::string, std::string>>;

struct command_line {
    std::string program;                 // a path
    std::vector<std::string> arguments;  // without its name
    variable_list environment;           // besides what this process has, or instead of it
    std::chrono::seconds limit{300};     // then it is killed
};

struct finished_process {
    bool started = false;
    bool in_time = true;
    int exit_code = -1;   // 128 and the signal's number where a signal ended it
    std::string output;   // what it wrote to its standard output
    std::string trouble;  // in words, where it did not start, hung, or did not exit with 0
    bool went_well() const noexcept { return started && in_time && exit_code == 0; }
};

finished_process run_to_end(const command_line& what);

}  // namespace lazult::tool
