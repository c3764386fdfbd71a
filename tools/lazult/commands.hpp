// SPDX-License-Identifier: BSD-3-Clause
// The subcommands. Each adds itself to the program, and runs when it was named.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace lazult::tool {

void add_info(CLI::App& program);
void add_bench(CLI::App& program);
void add_bench_openmp(CLI::App& bench);
void add_bench_peers(CLI::App& bench);
// `after_dashes` is what followed `--` on the command line: a program and its arguments, not for us
// to parse.
void add_run(CLI::App& program, std::vector<std::string> after_dashes);
// `after_dashes`: as for add_run().
void add_stacks(CLI::App& program, std::vector<std::string> after_dashes);
void add_soak(CLI::App& program);
// Hidden: for the build, and for packagers.
void add_generate(CLI::App& program);

std::string_view version() noexcept;

}  // namespace lazult::tool
