// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lazult/bench/openmp/runtimes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "tools/lazult/failure.hpp"
#include "tools/lazult/openmp_folder.hpp"

namespace lazult::tool {
namespace {

namespace fs = std::filesystem;

constexpr const char* gcc_program = "omp_bench";
constexpr const char* clang_program = "omp_bench_clang";
constexpr const char* gcc_library = "libgomp.so.1";
constexpr const char* clang_library = "libomp.so.5";

std::string program_path(const char* name) {
    return (fs::path(folder_of_this_command()) / name).string();
}

bool is_there(const std::string& path) {
    std::error_code bad;
    return fs::exists(path, bad);
}

std::string required_program() {
    std::string path = program_path(gcc_program);
    if (!is_there(path)) {
        throw usage_error("bench openmp", path + " is missing",
                          "build with LAZULT_APPS=ON and gcc");
    }
    return path;
}

struct peer_option {
    std::string name;
    std::string file;
    bool is_libomp;
};

[[noreturn]] void refuse(const std::string& word, const std::string& cause) {
    throw usage_error("option --peer", fmt::format("of \"{}\", {}", word, cause),
                      "give NAME=FILE, FILE being a libgomp.so.1 or a libomp.so.5");
}

peer_option parse(const std::string& word) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
        refuse(word, "no name stands before a =");
    }
    peer_option peer{word.substr(0, equals), word.substr(equals + 1), false};
    const std::string file = fs::path(peer.file).filename().string();
    peer.is_libomp = file.compare(0, 6, "libomp") == 0;
    if (!peer.is_libomp && file.compare(0, 7, "libgomp") != 0) {
        refuse(word, fmt::format("\"{}\" is named like no OpenMP runtime known here", file));
    }
    if (!is_there(peer.file)) {
        refuse(word, "the file is missing");
    }
    peer.file = fs::canonical(peer.file).string();
    return peer;
}

void check_names(const std::vector<contender>& all) {
    for (auto each = all.begin(); each != all.end(); ++each) {
        if (std::any_of(all.begin(), each,
                        [&](const contender& c) { return c.name == each->name; })) {
            refuse(each->name, "the name is another one's already");
        }
    }
}

// A wrong path would compare a library with itself and look fine.
void check_library(const contender& who) {
    command_line command = command_for(who, wait_policy::standard, 1, {"--library"});
    std::string loaded = output_of(who, command);
    loaded.erase(std::find(loaded.begin(), loaded.end(), '\n'), loaded.end());
    std::error_code bad;
    if (!fs::equivalent(loaded, who.library, bad)) {
        throw failure(
            "bench openmp",
            fmt::format("{} is to run over {}, and loads {}", who.name, who.library, loaded),
            "see that neither LD_PRELOAD nor a run path in the program names another one");
    }
}

void add_peer(std::vector<contender>& all, const peer_option& peer, link_folders& links) {
    const std::string under_gcc = peer.is_libomp ? peer.name + "-gcc" : peer.name;
    if (peer.is_libomp && is_there(program_path(clang_program))) {
        all.push_back({peer.name, program_path(clang_program),
                       links.add(peer.name, clang_library, peer.file), peer.file});
    }
    all.push_back({under_gcc, program_path(gcc_program),
                   links.add(under_gcc, gcc_library, peer.file), peer.file});
}

}  // namespace

link_folders::link_folders() {
    std::string pattern = (fs::temp_directory_path() / "lazult-bench-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) {
        throw failure("bench openmp", "no folder can be made as " + pattern,
                      "set TMPDIR to one that can be written");
    }
    root_ = pattern;
}

link_folders::~link_folders() {
    std::error_code bad;
    fs::remove_all(root_, bad);
}

std::string link_folders::add(const std::string& contender_name, const std::string& link,
                              const std::string& file) {
    const fs::path folder = fs::path(root_) / contender_name;
    std::error_code bad;
    fs::create_directory(folder, bad);
    fs::create_symlink(file, folder / link, bad);
    if (bad && bad != std::errc::file_exists) {
        throw failure(
            "bench openmp",
            fmt::format("{} cannot be made ({})", (folder / link).string(), bad.message()),
            "give the peer a name that is one for a folder too");
    }
    return folder.string();
}

std::vector<contender> contenders(const std::vector<std::string>& peers, link_folders& links) {
    const std::string ours = openmp_folder("bench openmp");
    std::vector<contender> all{{"lazult", required_program(), ours, ours + "/" + gcc_library}};
    for (const std::string& word : peers) {
        add_peer(all, parse(word), links);
    }
    check_names(all);
    for (const contender& each : all) {
        check_library(each);
    }
    return all;
}

command_line command_for(const contender& who, wait_policy policy, unsigned threads,
                         std::vector<std::string> arguments) {
    command_line command{who.program, std::move(arguments), {}};
    command.environment = {{"LD_LIBRARY_PATH", who.library_folder},
                           {"OMP_NUM_THREADS", std::to_string(threads)}};
    if (policy == wait_policy::passive) {
        command.environment.emplace_back("OMP_WAIT_POLICY", "passive");
        command.environment.emplace_back("KMP_BLOCKTIME", "0");
    }
    return command;
}

std::string output_of(const contender& who, const command_line& command) {
    const finished_process done = run_to_end(command);
    if (!done.went_well()) {
        std::string words = command.program;
        for (const std::string& argument : command.arguments) {
            words += ' ' + argument;
        }
        throw failure("bench openmp",
                      fmt::format("of {} over {}, {}", words, who.name, done.trouble),
                      "leave that runtime or that case out");
    }
    return done.output;
}

}  // namespace lazult::tool
