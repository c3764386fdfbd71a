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

LAZULT_REAL real<pid_t(pid_t, int*, int, rusage*)> real_wait4{"wait4"};
LAZULT_REAL real<int(idtype_t, id_t, siginfo_t*, int)> real_waitid{"waitid"};
LAZULT_REAL real<int(const char*, const char*, const addrinfo*, addrinfo**)> real_getaddrinfo{
    "getaddrinfo"};
LAZULT_REAL real<int(int, int)> real_flock{"flock"};
LAZULT_REAL real<int(const sockaddr*, socklen_t, char*, socklen_t, char*, socklen_t, int)>
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

// A descriptor that the caller has for a while.
class short_lived {
public:
    explicit short_lived(int fd) noexcept : fd_(fd) {}
    ~short_lived() {
        if (fd_ >= 0) {
            io::close(fd_);
        }
    }
    short_lived(const short_lived&) = delete;
    short_lived& operator=(const short_lived&) = delete;
    int fd() const noexcept { return fd_; }

private:
    int fd_;
};

// Suspends the caller until this child has ended. Does nothing where the kernel cannot tell.
void await_end_of(pid_t child) {
    const short_lived process(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
    if (process.fd() >= 0) {
        io::await_readable(process.fd());
    }
}

// The headers say that wait3() and wait4() throw nothing, and compilers rely on that. So a
// cancellation must not unwind a ULT from there: a helper thread makes the call.
enum class unwinding : bool { never, allowed };

pid_t wait_for_child(pid_t child, int* status, int options, rusage* usage, unwinding may_unwind) {
    const auto look = [&](int more) {
        return outcome_of([&] { return real_wait4(child, status, options | more, usage); });
    };
    std::int64_t found = look(WNOHANG);
    if (found == 0 && (options & WNOHANG) == 0) {
        if (may_unwind == unwinding::allowed && child > 0 &&
            (options & (WUNTRACED | WCONTINUED)) == 0) {
            await_end_of(child);
        }
        found = look(WNOHANG);
    }
    if (found == 0 && (options & WNOHANG) == 0) {
        found = make_apart([&] { return look(0); });
    }
    return as_posix<pid_t>(found);
}

pid_t wait_for(pid_t child, int* status, int options, rusage* usage, unwinding may_unwind,
               const void* from) {
    return suspendable(from) == nullptr ? real_wait4(child, status, options, usage)
                                        : wait_for_child(child, status, options, usage, may_unwind);
}

}  // namespace
}  // namespace lazult::posix

using namespace lazult;
using namespace lazult::posix;

extern "C" {

pid_t wait(int* status) {
    return wait_for(-1, status, 0, nullptr, unwinding::allowed, __builtin_return_address(0));
}

pid_t waitpid(pid_t child, int* status, int options) {
    return wait_for(child, status, options, nullptr, unwinding::allowed,
                    __builtin_return_address(0));
}

// Defined under names of their own, because a cancelled OS thread unwinds them all the same.
pid_t lazult_posix_wait3(int* status, int options, rusage* usage) __asm__("wait3");
pid_t lazult_posix_wait3(int* status, int options, rusage* usage) {
    return wait_for(-1, status, options, usage, unwinding::never, __builtin_return_address(0));
}

pid_t lazult_posix_wait4(pid_t child, int* status, int options, rusage* usage) __asm__("wait4");
pid_t lazult_posix_wait4(pid_t child, int* status, int options, rusage* usage) {
    return wait_for(child, status, options, usage, unwinding::never, __builtin_return_address(0));
}

int waitid(idtype_t kind, id_t id, siginfo_t* info, int options) {
    const auto look = [=](int more) {
        return outcome_of([=] { return real_waitid(kind, id, info, options | more); });
    };
    if (suspendable(__builtin_return_address(0)) == nullptr || (options & WNOHANG) != 0) {
        return real_waitid(kind, id, info, options);
    }
    if (kind == P_PID && (options & (WSTOPPED | WCONTINUED)) == 0 && look(WNOHANG | WNOWAIT) == 0) {
        await_end_of(static_cast<pid_t>(id));  // at once, if it has ended
    }
    return as_posix(make_apart([=] { return look(0); }));
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
