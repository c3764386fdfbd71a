// SPDX-License-Identifier: BSD-3-Clause
// lazult bench peers: a script beside the sources of its programs, which it compiles when it runs.
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/lazult/commands.hpp"
#include "tools/lazult/failure.hpp"
#include "tools/lazult/machine.hpp"
#include "tools/lazult/openmp_folder.hpp"

namespace lazult::tool {
namespace {

namespace fs = std::filesystem;

// Where Lazult is installed with this command, or nothing.
std::string own_prefix() {
    const fs::path prefix = fs::path(folder_of_this_command()).parent_path();
    std::error_code bad;
    const fs::path package = prefix / LAZULT_LIBRARY_FOLDER / "pkgconfig/lazult.pc";
    return fs::exists(package, bad) ? prefix.string() : std::string();
}

std::string script() {
    const fs::path found =
        fs::path(folder_of_this_command()) / "../" LAZULT_DATA_FOLDER "/bench/peers/peers.py";
    std::error_code bad;
    if (!fs::exists(found, bad)) {
        throw failure("bench peers", found.lexically_normal().string() + " is missing",
                      "install the tools of Lazult as a whole");
    }
    return found.lexically_normal().string();
}

// -B: no compiled scripts in the installation. The last --lazult counts, so the user's own does.
std::vector<std::string> command_for(const std::vector<std::string>& words) {
    std::vector<std::string> command{"python3", "-B", script(), "--machine",
                                     describe_machine().dump()};
    if (const std::string prefix = own_prefix(); !prefix.empty()) {
        command.insert(command.end(), {"--lazult", prefix});
    }
    command.insert(command.end(), words.begin(), words.end());
    return command;
}

void run(const std::vector<std::string>& words) {
    const std::vector<std::string> command = command_for(words);
    std::vector<char*> arguments;
    for (const std::string& word : command) {
        arguments.push_back(const_cast<char*>(word.c_str()));
    }
    arguments.push_back(nullptr);
    ::execvp(arguments[0], arguments.data());
    throw failure("bench peers",
                  std::string("python3 cannot be run (") + std::strerror(errno) + ")",
                  "install python3");
}

}  // namespace

// All words are the script's, --help too.
void add_bench_peers(CLI::App& bench) {
    CLI::App* peers = bench.add_subcommand("peers", "Lazult beside other libraries; needs python3");
    peers->set_help_flag();
    peers->footer("The words are those of a script: `lazult bench peers --help` lists them.");
    peers->prefix_command();
    peers->callback([peers] { run(peers->remaining()); });
}

}  // namespace lazult::tool
