// SPDX-License-Identifier: BSD-3-Clause
// Connections and messages.
#include <poll.h>
#include <sys/socket.h>

#include "caller/caller.hpp"
#include "files/waiting.hpp"
#include "real/real.hpp"

namespace lazult::posix {
namespace {

LAZULT_REAL real<int(int, sockaddr*, socklen_t*, int)> real_accept4{"accept4"};
LAZULT_REAL real<int(int, const sockaddr*, socklen_t)> real_connect{"connect"};
LAZULT_REAL real<ssize_t(int, void*, size_t, int)> real_recv{"recv"};
LAZULT_REAL real<ssize_t(int, void*, size_t, int, sockaddr*, socklen_t*)> real_recvfrom{"recvfrom"};
LAZULT_REAL real<ssize_t(int, msghdr*, int)> real_recvmsg{"recvmsg"};
LAZULT_REAL real<ssize_t(int, const void*, size_t, int)> real_send{"send"};
LAZULT_REAL real<ssize_t(int, const void*, size_t, int, const sockaddr*, socklen_t)> real_sendto{
    "sendto"};
LAZULT_REAL real<ssize_t(int, const msghdr*, int)> real_sendmsg{"sendmsg"};
LAZULT_REAL real<ssize_t(int, void*, size_t, size_t, int)> real_recv_chk{"__recv_chk"};
LAZULT_REAL real<ssize_t(int, void*, size_t, size_t, int, sockaddr*, socklen_t*)> real_recvfrom_chk{
    "__recvfrom_chk"};
LAZULT_REAL real<int(int, int, int, const void*, socklen_t)> real_setsockopt{"setsockopt"};

// io::recvmsg() cannot wait for all bytes of a stream, nor can io::recv() without taking them.
bool is_possible(int flags, bool is_message) noexcept {
    return (flags & MSG_WAITALL) == 0 || (!is_message && (flags & MSG_PEEK) == 0);
}

bool suspends_for(int fd, int flags, const void* from) noexcept {
    return (flags & MSG_DONTWAIT) == 0 && suspends_on(fd, from);
}

// The program closes its connections by all the means that POSIX has, so they do not belong to
// lazult::io.
io::result released(const io::result& accepted) {
    if (accepted.ok()) {
        io::release(accepted.descriptor());
    }
    return accepted;
}

// Waits for a connection. Returns false with errno if there is none in time.
bool await_connection(int fd, std::int64_t deadline_ns) noexcept {
    const std::int64_t left_ns = deadline_ns < 0 ? -1 : deadline_ns - os::now_ns();
    constexpr std::int64_t ms = 1'000'000;
    const bool is_over = deadline_ns >= 0 && left_ns <= 0;
    pollfd ready{fd, POLLIN, 0};
    const int found =
        is_over ? 0 : ::poll(&ready, 1, left_ns < 0 ? -1 : static_cast<int>(left_ns / ms + 1));
    if (found == 0) {
        errno = EAGAIN;
    }
    return found > 0;
}

// A ULT that accepts sets the socket in nonblocking mode for a moment, which must not end the call
// of an OS thread. The socket's own limit must.
int accept_as_thread(int fd, sockaddr* peer, socklen_t* size, int flags) {
    const io::limits until = limits_of(fd, SO_RCVTIMEO);
    for (;;) {
        const int accepted = real_accept4(fd, peer, size, flags);
        if (accepted >= 0 || errno != EAGAIN || !may_be_waited_for() ||
            io::is_nonblocking(fd).value() != 0) {
            return accepted;
        }
        if (!await_connection(fd, until.deadline_ns())) {
            return -1;
        }
        errno = 0;
    }
}

int accept_for(int fd, sockaddr* peer, socklen_t* size, int flags, const void* from) {
    if (is_left_alone(from)) {  // lazult::io itself calls this in its moment
        return real_accept4(fd, peer, size, flags);
    }
    return suspends_on(fd, from)
               ? static_cast<int>(take_from(fd,
                                            [&](const io::limits& until) {
                                                return released(
                                                    io::accept(fd, peer, size, flags, until));
                                            }))
               : accept_as_thread(fd, peer, size, flags);
}

ssize_t recv_for(int fd, void* into, size_t bytes, int flags, const void* from) {
    return is_possible(flags, false) && suspends_for(fd, flags, from)
               ? take_from(fd,
                           [&](const io::limits& until) {
                               return io::recv(fd, into, bytes, flags, until);
                           })
               : real_recv(fd, into, bytes, flags);
}

ssize_t recvfrom_for(int fd, void* into, size_t bytes, int flags, sockaddr* peer, socklen_t* size,
                     const void* from) {
    return is_possible(flags, true) && suspends_for(fd, flags, from)
               ? take_from(fd,
                           [&](const io::limits& until) {
                               return io::recvfrom(fd, into, bytes, flags, peer, size, until);
                           })
               : real_recvfrom(fd, into, bytes, flags, peer, size);
}

bool is_quiet(int flags) noexcept { return (flags & MSG_NOSIGNAL) != 0; }

}  // namespace
}  // namespace lazult::posix

using namespace lazult::posix;
namespace io = lazult::io;

extern "C" {

int accept(int fd, sockaddr* peer, socklen_t* size) {
    return accept_for(fd, peer, size, 0, __builtin_return_address(0));
}

int accept4(int fd, sockaddr* peer, socklen_t* size, int flags) {
    return accept_for(fd, peer, size, flags, __builtin_return_address(0));
}

int connect(int fd, const sockaddr* peer, socklen_t size) {
    if (!suspends_on(fd, __builtin_return_address(0))) {
        return real_connect(fd, peer, size);
    }
    const io::limits until = limits_of(fd, SO_SNDTIMEO);
    const io::result r = io::connect(fd, peer, size, until);
    return as_posix(-(was_limited(r, until) ? EINPROGRESS : r.error_number()));
}

ssize_t recv(int fd, void* into, size_t bytes, int flags) {
    return recv_for(fd, into, bytes, flags, __builtin_return_address(0));
}

ssize_t __recv_chk(int fd, void* into, size_t bytes, size_t size, int flags) {
    return bytes > size ? real_recv_chk(fd, into, bytes, size, flags)
                        : recv_for(fd, into, bytes, flags, __builtin_return_address(0));
}

ssize_t recvfrom(int fd, void* into, size_t bytes, int flags, sockaddr* peer, socklen_t* size) {
    return recvfrom_for(fd, into, bytes, flags, peer, size, __builtin_return_address(0));
}

ssize_t __recvfrom_chk(int fd, void* into, size_t bytes, size_t room, int flags, sockaddr* peer,
                       socklen_t* size) {
    return bytes > room
               ? real_recvfrom_chk(fd, into, bytes, room, flags, peer, size)
               : recvfrom_for(fd, into, bytes, flags, peer, size, __builtin_return_address(0));
}

ssize_t recvmsg(int fd, msghdr* message, int flags) {
    return is_possible(flags, true) && suspends_for(fd, flags, __builtin_return_address(0))
               ? take_from(fd,
                           [&](const io::limits& until) {
                               return io::recvmsg(fd, message, flags, until);
                           })
               : real_recvmsg(fd, message, flags);
}

ssize_t send(int fd, const void* data, size_t bytes, int flags) {
    return suspends_for(fd, flags, __builtin_return_address(0))
               ? give_to(fd, is_quiet(flags),
                         [&](const io::limits& until) {
                             return io::send(fd, data, bytes, flags, until);
                         })
               : real_send(fd, data, bytes, flags);
}

ssize_t sendto(int fd, const void* data, size_t bytes, int flags, const sockaddr* peer,
               socklen_t size) {
    return suspends_for(fd, flags, __builtin_return_address(0))
               ? give_to(fd, is_quiet(flags),
                         [&](const io::limits& until) {
                             return io::sendto(fd, data, bytes, flags, peer, size, until);
                         })
               : real_sendto(fd, data, bytes, flags, peer, size);
}

ssize_t sendmsg(int fd, const msghdr* message, int flags) {
    return suspends_for(fd, flags, __builtin_return_address(0))
               ? give_to(fd, is_quiet(flags),
                         [&](const io::limits& until) {
                             return io::sendmsg(fd, message, flags, until);
                         })
               : real_sendmsg(fd, message, flags);
}

int setsockopt(int fd, int level, int option, const void* value, socklen_t size) noexcept {
    if (level == SOL_SOCKET && (option == SO_RCVTIMEO || option == SO_SNDTIMEO)) {
        note_socket_times();
    }
    return real_setsockopt(fd, level, option, value, size);
}

}  // extern "C"
