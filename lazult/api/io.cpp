// SPDX-License-Identifier: BSD-3-Clause
#include <lazult/io.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "lazult/api/opaque.hpp"
#include "lazult/io/io.hpp"

namespace lazult::io {
namespace {

// A cancellation that ended a wait unwinds the unit. One that ended it by mistake does not count.
template <class Wait>
result limited(const limits& until, Wait wait) {
    const auto once = [&](sync::stop_watch* stop) {
        return wait(sync::wait_limit(until.deadline_ns(), core::cancelable::yes, stop));
    };
    for (;;) {
        std::int64_t value;
        if (until.stop().stop_possible()) {
            api::token_watch watch(until.stop());
            value = once(&watch);
        } else {
            value = once(nullptr);
        }
        if (value != -ECANCELED || until.stop().stop_requested() ||
            !api::was_ended_by_mistake(base::status::canceled)) {
            return result(value);
        }
    }
}

template <class Call, class... Arguments>
result make(const limits& until, Arguments... arguments) {
    Call wanted(arguments...);
    return limited(until,
                   [&](const sync::wait_limit& limit) { return inner::perform(wanted, limit); });
}

// What a system call returned, or -errno.
std::int64_t outcome(std::int64_t returned) noexcept { return returned >= 0 ? returned : -errno; }

// The kernel does not wait for these.
constexpr int never_waits = MSG_DONTWAIT | MSG_ERRQUEUE | MSG_OOB;

bool is_stream(int fd) noexcept {
    int type = 0;
    socklen_t size = sizeof type;
    return ::getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM;
}

// A descriptor that was just made, or -errno.
result adopted(std::int64_t fd) noexcept {
    if (fd >= 0) {
        inner::take(static_cast<int>(fd));
    }
    return result(fd);
}

// Calls move(done, left) until all bytes are moved, the end has come, or a call fails. An error
// counts only if nothing was moved before.
template <class Move>
result repeat(std::size_t bytes, Move move) {
    std::size_t done = 0;
    while (done < bytes) {
        const result moved = move(done, bytes - done);
        if (!moved.ok() && done == 0) {
            return moved;
        }
        if (!moved.ok() || moved.value() == 0) {
            break;
        }
        done += moved.bytes();
    }
    return result(static_cast<std::int64_t>(done));
}

}  // namespace

void result::throw_error() const { throw std::system_error(error()); }

result read(int fd, void* into, std::size_t bytes, const limits& until) {
    const iovec one{into, bytes};
    return readv(fd, {&one, 1}, until);
}
result write(int fd, const void* from, std::size_t bytes, const limits& until) {
    const iovec one{const_cast<void*>(from), bytes};
    return writev(fd, {&one, 1}, until);
}
result readv(int fd, std::span<const iovec> into, const limits& until) {
    return make<inner::read_call>(until, fd, into, off_t{-1});
}
result writev(int fd, std::span<const iovec> from, const limits& until) {
    return make<inner::write_call>(until, fd, from, off_t{-1});
}
result pread(int fd, void* into, std::size_t bytes, off_t offset, const limits& until) {
    const iovec one{into, bytes};
    return preadv(fd, {&one, 1}, offset, until);
}
result pwrite(int fd, const void* from, std::size_t bytes, off_t offset, const limits& until) {
    const iovec one{const_cast<void*>(from), bytes};
    return pwritev(fd, {&one, 1}, offset, until);
}
result preadv(int fd, std::span<const iovec> into, off_t offset, const limits& until) {
    return offset < 0 ? result(-EINVAL) : make<inner::read_call>(until, fd, into, offset);
}
result pwritev(int fd, std::span<const iovec> from, off_t offset, const limits& until) {
    return offset < 0 ? result(-EINVAL) : make<inner::write_call>(until, fd, from, offset);
}

result read_all(int fd, void* into, std::size_t bytes, const limits& until) {
    return repeat(bytes, [&](std::size_t done, std::size_t left) {
        return read(fd, static_cast<std::byte*>(into) + done, left, until);
    });
}
result write_all(int fd, const void* from, std::size_t bytes, const limits& until) {
    return repeat(bytes, [&](std::size_t done, std::size_t left) {
        return write(fd, static_cast<const std::byte*>(from) + done, left, until);
    });
}

result recv(int fd, void* into, std::size_t bytes, int flags, const limits& until) {
    if ((flags & never_waits) != 0) {
        return result(outcome(::recv(fd, into, bytes, flags | MSG_DONTWAIT)));
    }
    if ((flags & MSG_WAITALL) == 0 || !is_stream(fd)) {
        return make<inner::recv_call>(until, fd, into, bytes, flags);
    }
    if ((flags & MSG_PEEK) != 0) {
        return result(-EOPNOTSUPP);
    }
    return repeat(bytes, [&](std::size_t done, std::size_t left) {
        return recv(fd, static_cast<std::byte*>(into) + done, left, flags & ~MSG_WAITALL, until);
    });
}
result send(int fd, const void* from, std::size_t bytes, int flags, const limits& until) {
    return sendto(fd, from, bytes, flags, nullptr, 0, until);
}
result recvfrom(int fd, void* into, std::size_t bytes, int flags, sockaddr* from,
                socklen_t* from_bytes, const limits& until) {
    iovec one{into, bytes};
    if ((flags & MSG_WAITALL) != 0 && is_stream(fd)) {
        if (from_bytes != nullptr) {
            *from_bytes = 0;  // as the kernel says of a stream
        }
        return recv(fd, into, bytes, flags, until);
    }
    msghdr message{};
    message.msg_name = from;
    message.msg_namelen = from == nullptr || from_bytes == nullptr ? 0 : *from_bytes;
    message.msg_iov = &one;
    message.msg_iovlen = 1;
    const result received = recvmsg(fd, &message, flags, until);
    if (received.ok() && from_bytes != nullptr) {
        *from_bytes = message.msg_namelen;
    }
    return received;
}
result sendto(int fd, const void* from, std::size_t bytes, int flags, const sockaddr* to,
              socklen_t to_bytes, const limits& until) {
    iovec one{const_cast<void*>(from), bytes};
    msghdr message{};
    message.msg_name = const_cast<sockaddr*>(to);
    message.msg_namelen = to_bytes;
    message.msg_iov = &one;
    message.msg_iovlen = 1;
    return sendmsg(fd, &message, flags, until);
}
result recvmsg(int fd, msghdr* message, int flags, const limits& until) {
    if ((flags & MSG_WAITALL) != 0 && is_stream(fd)) {
        return result(-EOPNOTSUPP);
    }
    if ((flags & never_waits) != 0) {
        return result(outcome(::recvmsg(fd, message, flags | MSG_DONTWAIT)));
    }
    inner::receive_call wanted(fd, *message, flags);
    return limited(until,
                   [&](const sync::wait_limit& limit) { return inner::perform(wanted, limit); });
}
result sendmsg(int fd, const msghdr* message, int flags, const limits& until) {
    if ((flags & MSG_DONTWAIT) != 0) {
        return result(outcome(::sendmsg(fd, message, flags | MSG_NOSIGNAL)));
    }
    inner::send_call wanted(fd, *message, flags);
    return limited(until,
                   [&](const sync::wait_limit& limit) { return inner::perform(wanted, limit); });
}

result accept(int fd, sockaddr* from, socklen_t* from_bytes, int flags, const limits& until) {
    const result accepted = make<inner::accept_call>(until, fd, from, from_bytes, flags);
    return accepted.ok() ? adopted(accepted.value()) : accepted;
}
result connect(int fd, const sockaddr* to, socklen_t bytes, const limits& until) {
    return make<inner::connect_call>(until, fd, to, bytes);
}

result poll(std::span<pollfd> descriptors, const limits& until) {
    return limited(until,
                   [&](const sync::wait_limit& limit) { return inner::poll(descriptors, limit); });
}
result await_readable(int fd, const limits& until) {
    return limited(until, [&](const sync::wait_limit& limit) {
        return inner::await_ready(fd, inner::direction::in, limit);
    });
}
result await_writable(int fd, const limits& until) {
    return limited(until, [&](const sync::wait_limit& limit) {
        return inner::await_ready(fd, inner::direction::out, limit);
    });
}

result open(const char* path, int flags, mode_t mode) {
    return openat(AT_FDCWD, path, flags, mode);
}
result openat(int folder, const char* path, int flags, mode_t mode) {
    return call([=] {
        for (;;) {  // a FIFO waits for its other side
            const std::int64_t opened = outcome(::openat(folder, path, flags, mode));
            if (opened != -EINTR) {
                return adopted(opened);
            }
        }
    });
}
result socket(int domain, int type, int protocol) {
    return adopted(outcome(::socket(domain, type, protocol)));
}
result pipe(int (&ends)[2], int flags) {
    const result made(outcome(::pipe2(ends, flags)));
    if (made.ok()) {
        inner::take_pipe(ends[0], ends[1]);
    }
    return made;
}
result fsync(int fd) { return make<inner::sync_call>({}, fd, false); }
result fdatasync(int fd) { return make<inner::sync_call>({}, fd, true); }

result is_nonblocking(int fd) { return result(inner::is_nonblocking(fd)); }
result dup2(int from, int to, int flags) { return result(inner::duplicate(from, to, flags)); }
result close(int fd) { return result(inner::close(fd)); }
result adopt(int fd) { return result(inner::adopt(fd)); }
result release(int fd) { return result(inner::release(fd)); }

std::string file_backend() { return inner::file_backend(); }

void call_apart(void (*function)(void*), void* argument) { inner::call_apart(function, argument); }

}  // namespace lazult::io
