// SPDX-License-Identifier: BSD-3-Clause
#include "files/waiting.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>

#include <chrono>
#include <csignal>

#include "caller/caller.hpp"

namespace lazult::posix {
namespace {

// field         written by         read by    order
// have_waited   ULTs that wait     anybody    relaxed: a thread that ends what a ULT waits for
//                                             knows of the ULT by other means, or need not tell it
// have_times    setsockopt         the same   relaxed: a call after setsockopt() sees it
struct marks {
    ds::default_atomics::atomic<bool> have_waited{false};
    ds::default_atomics::atomic<bool> have_times{false};
};
constinit marks noted;

void note(ds::default_atomics::atomic<bool>& mark) noexcept {
    if (!mark.load(std::memory_order_relaxed)) {
        mark.store(true, std::memory_order_relaxed);
    }
}

bool is_socket(int fd) noexcept {
    struct stat about{};
    return ::fstat(fd, &about) == 0 && S_ISSOCK(about.st_mode);
}

}  // namespace

bool suspends_on(int fd, const void* from) noexcept {
    if (suspendable(from) == nullptr) {
        return false;
    }
    note(noted.have_waited);
    const io::result mode = io::is_nonblocking(fd);
    return mode.ok() && mode.value() == 0;
}

bool may_be_waited_for() noexcept { return noted.have_waited.load(std::memory_order_relaxed); }

void note_socket_times() noexcept { note(noted.have_times); }

io::limits limits_of(int fd, int option) noexcept {
    if (!noted.have_times.load(std::memory_order_relaxed)) LAZULT_LIKELY {
        return {};
    }
    const base::errno_guard keeps_errno;
    timeval time{};
    socklen_t size = sizeof time;
    if (::getsockopt(fd, SOL_SOCKET, option, &time, &size) != 0 ||
        (time.tv_sec == 0 && time.tv_usec == 0)) {
        return {};
    }
    return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

void raise_for(int fd) noexcept {
    if (is_socket(fd)) {  // a pipe has raised it already
        ::raise(SIGPIPE);
    }
}

}  // namespace lazult::posix
