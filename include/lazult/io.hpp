// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Calls that would block in the kernel: they suspend the calling ULT, and its stream goes on with
/// others. <lazult/io.h> has them for C.
#pragma once

#include <lazult/detail/apart.hpp>
#include <lazult/detail/deadline.hpp>
#include <lazult/export.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

/// The functions have the names, arguments and results of POSIX. Each takes one argument more, its
/// io::limits, and returns its error in an io::result instead of in errno.
///
/// - A ULT suspends until the call can be made or has been made. An OS thread that is no stream
///   blocks. A tasklet, which cannot suspend, gets EDEADLK where the call would have to wait;
///   open(), openat() and call() block its stream. A tasklet of Argobots blocks its stream in all
///   functions.
/// - All functions may suspend a ULT, but for socket(), pipe(), adopt(), release(), close(),
///   dup2() and file_backend().
/// - All functions are thread-safe: several ULTs may wait for one descriptor.
/// - A descriptor may be in blocking mode. Its flags stay as they are; accept() and connect() set
///   O_NONBLOCK for the moment of their system call.
/// - The result of a call that ended because of its limits is ETIMEDOUT (the time is over) or
///   ECANCELED (a stop was requested, or the ULT was cancelled). The call has then moved no byte. A
///   write that has moved some returns their number. A file operation that has begun is not cut
///   short, and limits do not end what can be done at once.
/// - No wait ends with EINTR.
/// - Close a descriptor by io::close() if ULTs may wait for it: they get EBADF. OS threads that
///   block in it, and calls that a helper thread or io_uring has begun, go on. After ::close(),
///   ULTs that wait may wait for ever.
namespace lazult::io {

/// What a call returned, or its error. A value that is thrown away is not an error.
class result {
public:
    /// `value`: what the call returned if it is not negative, else -errno.
    constexpr explicit result(std::int64_t value) noexcept : value_(value) {}

    /// Returns whether the call has succeeded.
    constexpr bool ok() const noexcept { return value_ >= 0; }
    /// ok()
    constexpr explicit operator bool() const noexcept { return ok(); }

    /// Returns what the call returned: bytes, a descriptor, or 0. Throws std::system_error if the
    /// call has failed.
    std::int64_t value() const {
        if (!ok()) {
            throw_error();
        }
        return value_;
    }
    /// value() as a number of bytes.
    std::size_t bytes() const { return static_cast<std::size_t>(value()); }
    /// value() as a descriptor.
    int descriptor() const { return static_cast<int>(value()); }
    /// Returns errno's value of a call that has failed, else 0.
    constexpr int error_number() const noexcept { return ok() ? 0 : static_cast<int>(-value_); }
    /// Returns error_number() as an error code of the generic category.
    std::error_code error() const noexcept { return {error_number(), std::generic_category()}; }

private:
    [[noreturn]] LAZULT_API void throw_error() const;

    std::int64_t value_;
};

/// What may end a call before it is done: a time, a stop token, or both. Made from either:
///
///     io::read(fd, data, size, 5s);
///     io::read(fd, data, size, {5s, stop});
class limits {
public:
    /// No limits.
    limits() noexcept = default;
    /// The call may wait for `span`.
    template <class Rep, class Period>
    limits(std::chrono::duration<Rep, Period> span, std::stop_token stop = {}) noexcept
        : deadline_(lazult::detail::deadline_after(span)), stop_(std::move(stop)) {}
    /// The call may wait until `when`.
    template <class Clock, class Duration>
    limits(std::chrono::time_point<Clock, Duration> when, std::stop_token stop = {}) noexcept
        : deadline_(lazult::detail::deadline_at(when)), stop_(std::move(stop)) {}
    /// A requested stop ends the call.
    limits(std::stop_token stop) noexcept : stop_(std::move(stop)) {}

    /// The deadline in nanoseconds of std::chrono::steady_clock; negative: none.
    std::int64_t deadline_ns() const noexcept { return deadline_; }
    /// The stop token; one without a state if none was given.
    const std::stop_token& stop() const noexcept { return stop_; }

private:
    std::int64_t deadline_ = lazult::detail::no_deadline;
    std::stop_token stop_;
};

/// read(2). A read of a socket or pipe returns what there is, at least one byte. 0 means the end:
/// of a file, or because the other side has closed. A datagram may be empty, too.
LAZULT_API result read(int fd, void* into, std::size_t bytes, const limits& until = {});
/// write(2). Writes all bytes, as a write to a descriptor in blocking mode does. Returns fewer only
/// if an error or a limit ends it after some bytes; the next call returns the error. To a socket
/// that the other side has closed it returns EPIPE; to such a pipe it also raises SIGPIPE.
LAZULT_API result write(int fd, const void* from, std::size_t bytes, const limits& until = {});
/// readv(2): read() into several buffers, one after the other.
LAZULT_API result readv(int fd, std::span<const iovec> into, const limits& until = {});
/// writev(2): write() from several buffers, one after the other.
LAZULT_API result writev(int fd, std::span<const iovec> from, const limits& until = {});
/// pread(2): a read at `offset`, which must not be negative. The file's own position stays.
LAZULT_API result pread(int fd, void* into, std::size_t bytes, off_t offset,
                        const limits& until = {});
/// pwrite(2): a write at `offset`, which must not be negative. The file's own position stays.
LAZULT_API result pwrite(int fd, const void* from, std::size_t bytes, off_t offset,
                         const limits& until = {});
/// preadv(2): pread() into several buffers, one after the other.
LAZULT_API result preadv(int fd, std::span<const iovec> into, off_t offset,
                         const limits& until = {});
/// pwritev(2): pwrite() from several buffers, one after the other.
LAZULT_API result pwritev(int fd, std::span<const iovec> from, off_t offset,
                          const limits& until = {});

/// Reads until `bytes` are there or the other side has closed. Returns how many it has read. If an
/// error or a limit ends it after some bytes, it returns their number; the next call returns the
/// error.
LAZULT_API result read_all(int fd, void* into, std::size_t bytes, const limits& until = {});
/// Writes until all bytes are written, also where a write may be short. Returns what read_all()
/// does.
LAZULT_API result write_all(int fd, const void* from, std::size_t bytes, const limits& until = {});

/// recv(2). MSG_DONTWAIT makes the call return EAGAIN instead of waiting, as it does for the five
/// calls below.
LAZULT_API result recv(int fd, void* into, std::size_t bytes, int flags, const limits& until = {});
/// send(2). Sends all bytes, as write() does. To a socket that the other side has closed: EPIPE,
/// and no signal.
LAZULT_API result send(int fd, const void* from, std::size_t bytes, int flags,
                       const limits& until = {});
/// recvfrom(2).
LAZULT_API result recvfrom(int fd, void* into, std::size_t bytes, int flags, sockaddr* from,
                           socklen_t* from_bytes, const limits& until = {});
/// sendto(2). No signal, as send().
LAZULT_API result sendto(int fd, const void* from, std::size_t bytes, int flags, const sockaddr* to,
                         socklen_t to_bytes, const limits& until = {});
/// recvmsg(2).
LAZULT_API result recvmsg(int fd, msghdr* message, int flags, const limits& until = {});
/// sendmsg(2). No signal, as send().
LAZULT_API result sendmsg(int fd, const msghdr* message, int flags, const limits& until = {});

/// accept4(2): returns the new descriptor, which belongs to lazult::io (see adopt()). `flags`:
/// SOCK_CLOEXEC, SOCK_NONBLOCK.
LAZULT_API result accept(int fd, sockaddr* from, socklen_t* from_bytes, int flags = SOCK_CLOEXEC,
                         const limits& until = {});
/// connect(2). After ETIMEDOUT or ECANCELED the connection may still come about: close the
/// descriptor.
LAZULT_API result connect(int fd, const sockaddr* to, socklen_t bytes, const limits& until = {});

/// poll(2): waits until a descriptor is ready. Returns how many are, and 0 if the time is over.
LAZULT_API result poll(std::span<pollfd> descriptors, const limits& until = {});
/// Waits until the descriptor can be read without blocking. Returns 0.
LAZULT_API result await_readable(int fd, const limits& until = {});
/// Waits until the descriptor can be written without blocking. Returns 0.
LAZULT_API result await_writable(int fd, const limits& until = {});

/// open(2). The descriptor belongs to lazult::io (see adopt()).
LAZULT_API result open(const char* path, int flags, mode_t mode = 0);
/// openat(2): open() with a relative path that begins at `folder`, or at the working directory if
/// that is AT_FDCWD.
LAZULT_API result openat(int folder, const char* path, int flags, mode_t mode = 0);
/// socket(2). The descriptor belongs to lazult::io.
LAZULT_API result socket(int domain, int type, int protocol);
/// pipe2(2). The descriptors belong to lazult::io; ends[0] is the one to read. Returns 0. Never
/// suspends.
LAZULT_API result pipe(int (&ends)[2], int flags = 0);
/// close(2). Callers that wait for the descriptor get EBADF.
LAZULT_API result close(int fd);
/// dup2(2): `to` becomes a duplicate of `from`. If `to` was open, it is closed as by close(). It
/// does not belong to lazult::io. `flags`: O_CLOEXEC. Returns `to`. Never suspends.
LAZULT_API result dup2(int from, int to, int flags = 0);
/// fsync(2).
LAZULT_API result fsync(int fd);
/// fdatasync(2).
LAZULT_API result fdatasync(int fd);

/// Returns 1 if the program has put the descriptor in nonblocking mode, and 0 if not. Unlike
/// fcntl(2), it does not see the moments in which accept() and connect() do that. Never suspends.
LAZULT_API result is_nonblocking(int fd);

/// Gives a descriptor to lazult::io, which from then on knows what it is, and watches it without a
/// system call for each wait. In return it must be closed by io::close(), and by nothing else.
/// Descriptors that lazult::io has made belong to it already. Other descriptors work as well, and
/// are a little slower. Returns 0, or EBADF.
LAZULT_API result adopt(int fd);
/// Takes a descriptor back from lazult::io. It stays open. ULTs that wait for it get EBADF. Returns
/// 0; EBADF if the number is negative or above 1,048,575.
LAZULT_API result release(int fd);

/// Calls function(argument) as call() does. `function` must not throw.
LAZULT_API void call_apart(void (*function)(void*), void* argument);

/// Calls f() on a helper thread, and suspends the ULT until it has returned: for calls that block
/// in the kernel and that this header does not have, such as getaddrinfo. Returns what f returns,
/// and throws what it throws. Each such call takes an OS thread as long as it lasts;
/// LAZULT_IO_HELPERS limits their number, and further calls wait. f must not wait for a ULT.
template <class F>
std::invoke_result_t<F&> call(F&& f) {
    using value = std::invoke_result_t<F&>;
    lazult::detail::apart<std::remove_reference_t<F>, value> mine{f, {}, {}};
    call_apart([](void* m) { static_cast<decltype(mine)*>(m)->run(); }, &mine);
    return mine.take();
}

/// Returns how files are read and written: "io_uring" or "helper threads".
LAZULT_API std::string file_backend();

}  // namespace lazult::io
