// SPDX-License-Identifier: BSD-3-Clause
// What the programs with and without ranks share of their command lines.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "apps/radiosity/run.hpp"

namespace radiosity {

struct request {
    std::string scene = "room";
    settings with;
    std::string json;  // a file for the measurements
};

// `workers` says what they are in this program, and `most` how many there may be.
void declare_request(CLI::App& app, request& given, const std::string& workers, int most);

// Returns the exit code of the program, and names the program where something went wrong.
int parse_and_run(CLI::App& app, int argc, char** argv, const std::string& program,
                  const std::function<void()>& run);

}  // namespace radiosity
