// SPDX-License-Identifier: BSD-3-Clause
// Waits for child processes, for the names of computers, and for locks of files. A helper thread
// makes the calls for which the kernel has no descriptor.
#include <lazult/io.hpp>

#include <netdb.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <exception>

#include "caller/caller.hpp"
#include "real/outcome.hpp"
#include "real/real.hpp"

namespace lazult::posix {
namespace {

constinit real<pid_t(pid_t, int*, int, rusage*)> real_wait4{"wait4"};
constinit real<int(idtype_t, id_t, siginfo_t*, int)> real_waitid{"waitid"};
constinit real<int(const char*, const char*, const addrinfo*, addrinfo**)> real_getaddrinfo{
    "getaddrinfo"};
constinit real<int(int, int)> real_flock{"flock"};
constinit real<int(const sockaddr*, socklen_t, char*, socklen_t, char*, socklen_t, int)>
    real_getnameinfo{"getnameinfo"};

// A call's result, or -errno of the thread that made it.
template <class Call>
std::int64_t outcome_of(Call call) {
    const std::int64_t result = call();
    return result >= 0 ? result : -std::int64_t{base::errno_guard::current()};
}

// Where there is no helper thread to be had, the calling thread makes the call.
template <class Call>
std::int64_t make_apart(Call call) {
    try {
        return io::call(call);
    } catch (const std::system_error&) {
        return call();
    }
}

// Suspends the caller until this child has ended. Does nothing where the kernel cannot tell.
void await_end_of(pid_t child) {
    const int fd = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
    if (fd >= 0) {
        io::await_readable(fd);
        io::close(fd);
    }
}

pid_t wait_for_child(pid_t child, int* status, int options, rusage* usage) {
    const auto look = [&](int more) {
        return outcome_of([&] { return real_wait4(child, status, options | more, usage); });
    };
    std::int64_t found = look(WNOHANG);
    if (found == 0 && (options & WNOHANG) == 0) {
        if (child > 0 && (options & (WUNTRACED | WCONTINUED)) == 0) {
            await_end_of(child);
        }
        found = look(WNOHANG);
    }
    if (found == 0 && (options & WNOHANG) == 0) {
        found = make_apart([&] { return look(0); });
    }
    return as_posix<pid_t>(found);
}

pid_t wait_for(pid_t child, int* status, int options, rusage* usage, const void* from) {
    return suspendable(from) == nullptr ? real_wait4(child, status, options, usage)
                                        : wait_for_child(child, status, options, usage);
}

}  // namespace
}  // namespace lazult::posix

using namespace lazult;
using namespace lazult::posix;

extern "C" {

pid_t wait(int* status) { return wait_for(-1, status, 0, nullptr, __builtin_return_address(0)); }

pid_t waitpid(pid_t child, int* status, int options) {
    return wait_for(child, status, options, nullptr, __builtin_return_address(0));
}

pid_t wait3(int* status, int options, rusage* usage) noexcept {
    return wait_for(-1, status, options, usage, __builtin_return_address(0));
}

pid_t wait4(pid_t child, int* status, int options, rusage* usage) noexcept {
    return wait_for(child, status, options, usage, __builtin_return_address(0));
}

int waitid(idtype_t kind, id_t id, siginfo_t* info, int options) {
    if (suspendable(__builtin_return_address(0)) == nullptr || (options & WNOHANG) != 0) {
        return real_waitid(kind, id, info, options);
    }
    return as_posix(make_apart(
        [=] { return outcome_of([=] { return real_waitid(kind, id, info, options); }); }));
}

int getaddrinfo(const char* name, const char* service, const addrinfo* hints, addrinfo** found) {
    if (suspendable(__builtin_return_address(0)) == nullptr) {
        return real_getaddrinfo(name, service, hints, found);
    }
    int error = 0;
    const auto result = static_cast<int>(make_apart([&] {
        const int r = real_getaddrinfo(name, service, hints, found);
        error = base::errno_guard::current();
        return r;
    }));
    if (result == EAI_SYSTEM) {
        as_posix(-error);
    }
    return result;
}

int flock(int fd, int operation) noexcept {
    if (suspendable(__builtin_return_address(0)) == nullptr || (operation & LOCK_NB) != 0) {
        return real_flock(fd, operation);
    }
    std::int64_t result = outcome_of([=] { return real_flock(fd, operation | LOCK_NB); });
    if (result == -EWOULDBLOCK) {
        result = make_apart([=] { return outcome_of([=] { return real_flock(fd, operation); }); });
    }
    return as_posix(result);
}

int getnameinfo(const sockaddr* address, socklen_t size, char* host, socklen_t host_size,
                char* service, socklen_t service_size, int flags) {
    const auto look = [=] {
        return real_getnameinfo(address, size, host, host_size, service, service_size, flags);
    };
    return suspendable(__builtin_return_address(0)) == nullptr ? look()
                                                               : static_cast<int>(make_apart(look));
}

}  // extern "C"
