// SPDX-License-Identifier: BSD-3-Clause
// Runs a case in a process of its own, so that it may fail in any way, and says how it ended.
#pragma once

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace lazult::faults {

struct outcome {
    int status = -1;
    bool was_late = false;
    std::string words;  // on standard error

    bool exited_with(int code) const {
        return !was_late && WIFEXITED(status) && WEXITSTATUS(status) == code;
    }
    // Ended by the library, with a line that says why; or by libc, that cannot refuse a
    // thread-local object otherwise.
    bool ended_with_a_reason() const {
        return !was_late && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT &&
               (has_line_of("lazult: ") ||
                has_line_of("Fatal glibc error: failed to register TLS"));
    }
    // The program may have written lines of its own before: an exception that it caught, for one.
    bool has_line_of(std::string_view writer) const {
        return words.starts_with(writer) ||
               words.find("\n" + std::string(writer)) != std::string::npos;
    }
    std::string describe() const {
        const std::string how = was_late ? "hangs"
                                : WIFSIGNALED(status)
                                    ? "dies of signal " + std::to_string(WTERMSIG(status))
                                    : "exits with " + std::to_string(WEXITSTATUS(status));
        return words.empty() ? how : how + ", saying: " + words;
    }
};

// What it writes until it ends, or until nothing comes any more for so many seconds.
inline outcome watch(pid_t child, int from, int seconds) {
    outcome result;
    char buffer[512];
    for (;;) {
        pollfd ready{from, POLLIN, 0};
        if (::poll(&ready, 1, seconds * 1000) <= 0) {
            result.was_late = true;
            ::kill(child, SIGKILL);
            break;
        }
        const ssize_t length = ::read(from, buffer, sizeof buffer);
        if (length <= 0) {
            break;
        }
        result.words.append(buffer, static_cast<std::size_t>(length));
    }
    ::close(from);
    ::waitpid(child, &result.status, 0);
    return result;
}

// `run` gives the exit code.
template <class Run>
outcome in_child(Run run, int seconds = 20) {
    int ends[2];
    if (::pipe(ends) != 0) {
        std::perror("pipe");
        std::exit(2);
    }
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
        ::close(ends[0]);
        ::dup2(ends[1], STDERR_FILENO);
        ::close(ends[1]);
        std::exit(run());
    }
    ::close(ends[1]);
    return watch(child, ends[0], seconds);
}

// Counts what goes wrong, and says it.
class judge {
public:
    void expect(bool good, const std::string& what, const outcome& how) {
        ++looked_;
        if (!good) {
            ++bad_;
            std::printf("%s: %s\n", what.c_str(), how.describe().c_str());
        }
    }
    int verdict() const {
        std::printf("%d cases, %d went wrong\n", looked_, bad_);
        return bad_ == 0 && looked_ > 0 ? 0 : 1;
    }

private:
    int looked_ = 0;
    int bad_ = 0;
};

}  // namespace lazult::faults
