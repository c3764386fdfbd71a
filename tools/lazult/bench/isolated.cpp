// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lazult/bench/isolated.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "tools/lazult/failure.hpp"

namespace lazult::tool {
namespace {

using nlohmann::json;

[[noreturn]] void fail(const std::string& cause) {
    throw failure("bench", cause, "raise the limits on processes and memory, or lower --n");
}

struct child {
    pid_t process = -1;
    int output = -1;
};

child start(const std::vector<std::string>& arguments) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        fail(std::string("no pipe (") + std::strerror(errno) + ")");
    }
    std::vector<char*> words{const_cast<char*>("lazult"), const_cast<char*>("bench")};
    for (const std::string& argument : arguments) {
        words.push_back(const_cast<char*>(argument.c_str()));
    }
    words.push_back(const_cast<char*>(isolated_flag));
    words.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    child fresh{-1, ends[0]};
    const int bad = ::posix_spawn(&fresh.process, "/proc/self/exe", &actions, nullptr, words.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    if (bad != 0) {
        ::close(ends[0]);
        fail(std::string("a fresh process cannot be started (") + std::strerror(bad) + ")");
    }
    return fresh;
}

std::string read_all(int descriptor) {
    std::string text;
    char buffer[4096];
    for (;;) {
        const ssize_t n = ::read(descriptor, buffer, sizeof buffer);
        if (n > 0) {
            text.append(buffer, static_cast<std::size_t>(n));
        } else if (n == 0 || errno != EINTR) {
            return text;
        }
    }
}

bool ended_well(pid_t process) {
    int outcome = 0;
    while (::waitpid(process, &outcome, 0) == -1) {
        if (errno != EINTR) {
            return false;
        }
    }
    return WIFEXITED(outcome) && WEXITSTATUS(outcome) == 0;
}

sample parse(const std::string& text) {
    const json words = json::parse(text, nullptr, false);
    if (words.is_discarded()) {
        fail("the fresh process printed no sample");
    }
    sample taken{words.at("value"), words.at("cycles"), words.at("elapsed_ns"), words.at("operations"), {}};
    for (const auto& [name, value] : words.at("extras").items()) {
        taken.extras.emplace_back(name, value.get<double>());
    }
    return taken;
}

}  // namespace

sample sample_in_fresh_process(const std::vector<std::string>& arguments) {
    const child fresh = start(arguments);
    const std::string text = read_all(fresh.output);
    ::close(fresh.output);
    if (!ended_well(fresh.process)) {
        fail("the fresh process that takes one sample failed");
    }
    return parse(text);
}

void print_sample(const sample& taken) {
    json extras = json::object();
    for (const auto& [name, value] : taken.extras) {
        extras[name] = value;
    }
    const json words{{"value", taken.value},
                     {"cycles", taken.cycles},
                     {"elapsed_ns", taken.elapsed_ns},
                     {"operations", taken.operations},
                     {"extras", extras}};
    fmt::print("{}\n", words.dump());
}

}  // namespace lazult::tool
