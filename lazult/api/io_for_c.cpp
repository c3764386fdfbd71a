// SPDX-License-Identifier: BSD-3-Clause
// <lazult/io.h>: the functions of <lazult/io.hpp>, with results and errors as numbers.
#include <lazult/io.h>
#include <lazult/io.hpp>
#include <lazult/this_thread.hpp>

#include <cerrno>
#include <new>

#include "lazult/api/opaque.hpp"
#include "lazult/io/io.hpp"

struct lazult_io_stop {
    std::stop_source source;
};

namespace {

using namespace lazult;

std::stop_token token_of(const lazult_io_stop* stop) noexcept {
    return stop == nullptr ? std::stop_token() : stop->source.get_token();
}

io::limits limits_of(const lazult_io_limits* given) noexcept {
    if (given == nullptr) {
        return {};
    }
    return {std::chrono::nanoseconds(given->timeout_ns), token_of(given->stop)};
}

std::int64_t number_of(io::result of) noexcept { return of.ok() ? of.value() : -of.error_number(); }

// Returns what call() returns, as T. No exception may pass through functions of C, so a
// cancellation waits for a function that may be unwound, and until then ends each wait.
template <class T, class Call>
T made(Call call) noexcept {
    try {
        return static_cast<T>(number_of(call()));
    } catch (const core::exit_unwind& exit) {
        core::put_off(*core::current_unit(), exit);
        return -ECANCELED;
    } catch (const std::bad_alloc&) {
        return -ENOMEM;
    }
}

template <class Call>
ssize_t moved(Call call) noexcept {
    return made<ssize_t>(call);
}

// The same for buffers in a list.
template <class Call>
ssize_t moved_by_list(const iovec* list, int count, Call call) noexcept {
    if (count < 0) {
        return -EINVAL;
    }
    return moved([&] { return call(std::span(list, static_cast<std::size_t>(count))); });
}

template <class Call>
int done(Call call) noexcept {
    return made<int>(call);
}

io::result slept(std::int64_t span_ns, const lazult_io_stop* stop) {
    if (!api::may_wait()) {
        return io::result(-EDEADLK);
    }
    const std::int64_t deadline = detail::deadline_after(std::chrono::nanoseconds(span_ns));
    const std::stop_token token = token_of(stop);
    const bool is_over = detail::sleep_until_ns(deadline, stop == nullptr ? nullptr : &token);
    return io::result(is_over ? 0 : -ECANCELED);
}

}  // namespace

extern "C" {

lazult_io_stop* lazult_io_stop_create(void) {
    try {
        return new lazult_io_stop;
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}
void lazult_io_stop_request(lazult_io_stop* stop) { stop->source.request_stop(); }
int lazult_io_stop_requested(const lazult_io_stop* stop) {
    return stop->source.stop_requested() ? 1 : 0;
}
void lazult_io_stop_free(lazult_io_stop* stop) { delete stop; }

ssize_t lazult_io_read(int fd, void* into, size_t bytes, const lazult_io_limits* limits) {
    return moved([&] { return io::read(fd, into, bytes, limits_of(limits)); });
}
ssize_t lazult_io_write(int fd, const void* from, size_t bytes, const lazult_io_limits* limits) {
    return moved([&] { return io::write(fd, from, bytes, limits_of(limits)); });
}
ssize_t lazult_io_readv(int fd, const struct iovec* into, int count,
                        const lazult_io_limits* limits) {
    return moved_by_list(into, count,
                         [&](auto list) { return io::readv(fd, list, limits_of(limits)); });
}
ssize_t lazult_io_writev(int fd, const struct iovec* from, int count,
                         const lazult_io_limits* limits) {
    return moved_by_list(from, count,
                         [&](auto list) { return io::writev(fd, list, limits_of(limits)); });
}
ssize_t lazult_io_pread(int fd, void* into, size_t bytes, off_t offset,
                        const lazult_io_limits* limits) {
    return moved([&] { return io::pread(fd, into, bytes, offset, limits_of(limits)); });
}
ssize_t lazult_io_pwrite(int fd, const void* from, size_t bytes, off_t offset,
                         const lazult_io_limits* limits) {
    return moved([&] { return io::pwrite(fd, from, bytes, offset, limits_of(limits)); });
}
ssize_t lazult_io_preadv(int fd, const struct iovec* into, int count, off_t offset,
                         const lazult_io_limits* limits) {
    return moved_by_list(
        into, count, [&](auto list) { return io::preadv(fd, list, offset, limits_of(limits)); });
}
ssize_t lazult_io_pwritev(int fd, const struct iovec* from, int count, off_t offset,
                          const lazult_io_limits* limits) {
    return moved_by_list(
        from, count, [&](auto list) { return io::pwritev(fd, list, offset, limits_of(limits)); });
}

ssize_t lazult_io_read_all(int fd, void* into, size_t bytes, const lazult_io_limits* limits) {
    return moved([&] { return io::read_all(fd, into, bytes, limits_of(limits)); });
}
ssize_t lazult_io_write_all(int fd, const void* from, size_t bytes,
                            const lazult_io_limits* limits) {
    return moved([&] { return io::write_all(fd, from, bytes, limits_of(limits)); });
}

ssize_t lazult_io_recv(int fd, void* into, size_t bytes, int flags,
                       const lazult_io_limits* limits) {
    return moved([&] { return io::recv(fd, into, bytes, flags, limits_of(limits)); });
}
ssize_t lazult_io_send(int fd, const void* from, size_t bytes, int flags,
                       const lazult_io_limits* limits) {
    return moved([&] { return io::send(fd, from, bytes, flags, limits_of(limits)); });
}
ssize_t lazult_io_recvfrom(int fd, void* into, size_t bytes, int flags, struct sockaddr* from,
                           socklen_t* from_bytes, const lazult_io_limits* limits) {
    return moved(
        [&] { return io::recvfrom(fd, into, bytes, flags, from, from_bytes, limits_of(limits)); });
}
ssize_t lazult_io_sendto(int fd, const void* from, size_t bytes, int flags,
                         const struct sockaddr* to, socklen_t to_bytes,
                         const lazult_io_limits* limits) {
    return moved([&] {  //
        return io::sendto(fd, from, bytes, flags, to, to_bytes, limits_of(limits));
    });
}
ssize_t lazult_io_recvmsg(int fd, struct msghdr* message, int flags,
                          const lazult_io_limits* limits) {
    return moved([&] { return io::recvmsg(fd, message, flags, limits_of(limits)); });
}
ssize_t lazult_io_sendmsg(int fd, const struct msghdr* message, int flags,
                          const lazult_io_limits* limits) {
    return moved([&] { return io::sendmsg(fd, message, flags, limits_of(limits)); });
}

int lazult_io_accept(int fd, struct sockaddr* from, socklen_t* from_bytes, int flags,
                     const lazult_io_limits* limits) {
    return done([&] { return io::accept(fd, from, from_bytes, flags, limits_of(limits)); });
}
int lazult_io_connect(int fd, const struct sockaddr* to, socklen_t bytes,
                      const lazult_io_limits* limits) {
    return done([&] { return io::connect(fd, to, bytes, limits_of(limits)); });
}

int lazult_io_poll(struct pollfd* descriptors, nfds_t count, const lazult_io_limits* limits) {
    return done([&] { return io::poll(std::span(descriptors, count), limits_of(limits)); });
}
int lazult_io_await_readable(int fd, const lazult_io_limits* limits) {
    return done([&] { return io::await_readable(fd, limits_of(limits)); });
}
int lazult_io_await_writable(int fd, const lazult_io_limits* limits) {
    return done([&] { return io::await_writable(fd, limits_of(limits)); });
}

int lazult_io_open(const char* path, int flags, mode_t mode) {
    return done([&] { return io::open(path, flags, mode); });
}
int lazult_io_openat(int folder, const char* path, int flags, mode_t mode) {
    return done([&] { return io::openat(folder, path, flags, mode); });
}
int lazult_io_socket(int domain, int type, int protocol) {
    return done([&] { return io::socket(domain, type, protocol); });
}
int lazult_io_pipe(int ends[2], int flags) {
    return done([&] {
        int both[2] = {-1, -1};
        const io::result outcome = io::pipe(both, flags);
        if (outcome.ok()) {
            ends[0] = both[0];
            ends[1] = both[1];
        }
        return outcome;
    });
}
int lazult_io_fsync(int fd) {
    return done([&] { return io::fsync(fd); });
}
int lazult_io_fdatasync(int fd) {
    return done([&] { return io::fdatasync(fd); });
}
int lazult_io_close(int fd) {
    return done([&] { return io::close(fd); });
}
int lazult_io_is_nonblocking(int fd) {
    return done([&] { return io::is_nonblocking(fd); });
}
int lazult_io_dup2(int from, int to, int flags) {
    return done([&] { return io::dup2(from, to, flags); });
}

int lazult_io_adopt(int fd) {
    return done([&] { return io::adopt(fd); });
}
int lazult_io_release(int fd) {
    return done([&] { return io::release(fd); });
}

int lazult_io_sleep(int64_t span_ns, const lazult_io_stop* stop) {
    return span_ns <= 0 ? 0 : done([&] { return slept(span_ns, stop); });
}

void lazult_io_call(void (*function)(void*), void* argument) { io::call_apart(function, argument); }

const char* lazult_io_file_backend(void) { return io::inner::file_backend(); }

}  // extern "C"
