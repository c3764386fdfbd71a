// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lazult/child_process.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace lazult::tool {
namespace {

using clock_type = std::chrono::steady_clock;

std::vector<std::string> environment_with(const variable_list& changes) {
    std::vector<std::string> words;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string word = *entry;
        const bool is_changed =
            std::any_of(changes.begin(), changes.end(), [&](const auto& change) {
                return word.compare(0, change.first.size() + 1, change.first + '=') == 0;
            });
        if (!is_changed) {
            words.push_back(word);
        }
    }
    for (const auto& [name, value] : changes) {
        words.push_back(name + '=' + value);
    }
    return words;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
    std::vector<char*> list;
    for (std::string& word : words) {
        list.push_back(word.data());
    }
    list.push_back(nullptr);
    return list;
}

struct child {
    pid_t process = -1;
    int output = -1;
    int error = 0;
};

child start(const command_line& what) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        return {-1, -1, errno};
    }
    std::vector<std::string> words{what.program};
    words.insert(words.end(), what.arguments.begin(), what.arguments.end());
    std::vector<std::string> variables = environment_with(what.environment);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    child fresh{-1, ends[0], 0};
    fresh.error = ::posix_spawn(&fresh.process, what.program.c_str(), &actions, nullptr,
                                pointers(words).data(), pointers(variables).data());
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    return fresh;
}

// False: the time is over.
bool read_until(int descriptor, clock_type::time_point end, std::string& text) {
    char buffer[4096];
    for (;;) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(end - clock_type::now());
        pollfd one{descriptor, POLLIN, 0};
        const int ready = ::poll(&one, 1, static_cast<int>(std::max<long>(left.count(), 0)));
        if (ready == 0) {
            return false;
        }
        const ssize_t n = ready < 0 ? -1 : ::read(descriptor, buffer, sizeof buffer);
        if (n > 0) {
            text.append(buffer, static_cast<std::size_t>(n));
        } else if (n == 0 || errno != EINTR) {
            return true;
        }
    }
}

int exit_code_of(pid_t process) {
    int outcome = 0;
    while (::waitpid(process, &outcome, 0) == -1) {
        if (errno != EINTR) {
            return -1;
        }
    }
    return WIFEXITED(outcome) ? WEXITSTATUS(outcome) : 128 + WTERMSIG(outcome);
}

std::string trouble_of(const finished_process& done, const command_line& what, int error) {
    if (!done.started) {
        return fmt::format("it cannot be started ({})", std::strerror(error));
    }
    if (!done.in_time) {
        return fmt::format("it did not end within {} s", what.limit.count());
    }
    return done.exit_code == 0 ? "" : fmt::format("it ended with {}", done.exit_code);
}

}  // namespace

finished_process run_to_end(const command_line& what) {
    finished_process done;
    const child fresh = start(what);
    done.started = fresh.output != -1 && fresh.error == 0;
    if (done.started) {
        done.in_time = read_until(fresh.output, clock_type::now() + what.limit, done.output);
        if (!done.in_time) {
            ::kill(fresh.process, SIGKILL);
        }
        done.exit_code = exit_code_of(fresh.process);
    }
    if (fresh.output != -1) {
        ::close(fresh.output);
    }
    done.trouble = trouble_of(done, what, fresh.error);
    return done;
}

}  // namespace lazult::tool
