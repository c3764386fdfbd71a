/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The calls of <lazult/io.hpp> for C11, and for languages that call C. They would block in the
 * kernel; here they suspend the calling ULT, and its stream goes on with others.
 *
 * The functions have the names, arguments and results of POSIX, behind lazult_io_. Each returns
 * what the call of POSIX returns, or -errno, such as -EBADF. The value of errno itself means
 * nothing afterwards. Most take one argument more, their limits: NULL means none.
 *
 *     lazult_io_limits until = {5 * LAZULT_IO_SECOND, NULL};
 *     ssize_t got = lazult_io_read(fd, buffer, sizeof buffer, &until);
 *     if (got == -ETIMEDOUT) ...
 *
 * - Units: times are nanoseconds, and sizes are bytes.
 * - Callers: any thread may call all functions. A ULT of any door suspends. An OS thread that is no
 *   stream blocks. A tasklet, which cannot suspend, gets -EDEADLK where the call would have to
 * wait; lazult_io_open(), lazult_io_openat() and lazult_io_call() block its stream. A tasklet of
 *   Argobots blocks its stream in all of them.
 * - Suspension: a function may suspend, unless its comment says "never suspends". The ULT may go on
 *   upon another OS thread.
 * - Thread safety: all functions may be called concurrently, also on one descriptor and on one stop
 *   handle, except that nobody may use a stop handle while it is freed or afterwards.
 * - Errors: those of POSIX, and these: -ETIMEDOUT (the time of the limits is over), -ECANCELED (a
 *   stop was requested, or the ULT was cancelled), -EDEADLK (a tasklet would have to wait), -EBADF
 *   (the descriptor was closed or released while the call waited), -ENOMEM, and -EINVAL (a negative
 *   count). No wait ends with -EINTR. After -ETIMEDOUT and -ECANCELED the call has moved no byte; a
 *   write that has moved some returns their number.
 * - Cancellation: lazult::cancel() ends a wait with -ECANCELED, and does not unwind the functions
 *   of C that are on the stack. Each later wait of that ULT ends in the same way, so return.
 * - Descriptors: those that functions of this header make belong to lazult::io, as
 * lazult_io_adopt() says. Close these, and all for which ULTs may wait, by lazult_io_close().
 *
 * Source: POSIX.1-2017 and the manual of Linux, section 2; std::stop_source of C++20. */
#ifndef LAZULT_IO_H
#define LAZULT_IO_H

#include <poll.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <stddef.h>
#include <stdint.h>

/** Marks a function that the shared library exports. */
#if defined(__GNUC__)
#define LAZULT_IO_API __attribute__((visibility("default")))
#else
#define LAZULT_IO_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** A second as a time of this header. */
#define LAZULT_IO_SECOND INT64_C(1000000000)
/** A time that is never over. */
#define LAZULT_IO_NO_TIMEOUT INT64_MAX

/** A stop handle, by which any thread may end calls: opaque. */
typedef struct lazult_io_stop lazult_io_stop;

/** What may end a call before it is done. The call only reads it, before it waits. */
typedef struct lazult_io_limits {
    int64_t timeout_ns;         /**< The call may wait for so many nanoseconds. 0 or less: it does
                                   what can be done at once. LAZULT_IO_NO_TIMEOUT: no limit. */
    const lazult_io_stop* stop; /**< A requested stop ends the call. NULL: none. */
} lazult_io_limits;

/** Makes a stop handle. Returns NULL if memory is exhausted. Never suspends. */
LAZULT_IO_API lazult_io_stop* lazult_io_stop_create(void);
/** Requests a stop: calls that wait with this handle return -ECANCELED, and so do later calls where
 * they would have to wait. A second request does nothing. Not for signal handlers. Never suspends.
 */
LAZULT_IO_API void lazult_io_stop_request(lazult_io_stop* stop);
/** Returns 1 if a stop was requested, else 0. Never suspends. */
LAZULT_IO_API int lazult_io_stop_requested(const lazult_io_stop* stop);
/** Frees a stop handle; NULL is ignored. Calls that wait with it go on, and cannot be stopped any
 * more. Never suspends. */
LAZULT_IO_API void lazult_io_stop_free(lazult_io_stop* stop);

/** read(2). A read of a socket or pipe returns what there is, at least one byte. 0 means the end:
 * of a file, or because the other side has closed. A datagram may be empty, too. */
LAZULT_IO_API ssize_t lazult_io_read(int fd, void* into, size_t bytes,
                                     const lazult_io_limits* limits);
/** write(2). Writes all bytes, as a write to a descriptor in blocking mode does. Returns fewer only
 * if an error or a limit ends it after some bytes; the next call returns the error. To a socket
 * that the other side has closed it returns -EPIPE; to such a pipe it also raises SIGPIPE. */
LAZULT_IO_API ssize_t lazult_io_write(int fd, const void* from, size_t bytes,
                                      const lazult_io_limits* limits);
/** readv(2): lazult_io_read() into `count` buffers, one after the other. */
LAZULT_IO_API ssize_t lazult_io_readv(int fd, const struct iovec* into, int count,
                                      const lazult_io_limits* limits);
/** writev(2): lazult_io_write() from `count` buffers, one after the other. */
LAZULT_IO_API ssize_t lazult_io_writev(int fd, const struct iovec* from, int count,
                                       const lazult_io_limits* limits);
/** pread(2): a read at `offset`, which must not be negative. The file's own position stays. */
LAZULT_IO_API ssize_t lazult_io_pread(int fd, void* into, size_t bytes, off_t offset,
                                      const lazult_io_limits* limits);
/** pwrite(2): a write at `offset`, which must not be negative. The file's own position stays. */
LAZULT_IO_API ssize_t lazult_io_pwrite(int fd, const void* from, size_t bytes, off_t offset,
                                       const lazult_io_limits* limits);
/** preadv(2): lazult_io_pread() into `count` buffers, one after the other. */
LAZULT_IO_API ssize_t lazult_io_preadv(int fd, const struct iovec* into, int count, off_t offset,
                                       const lazult_io_limits* limits);
/** pwritev(2): lazult_io_pwrite() from `count` buffers, one after the other. */
LAZULT_IO_API ssize_t lazult_io_pwritev(int fd, const struct iovec* from, int count, off_t offset,
                                        const lazult_io_limits* limits);

/** Reads until `bytes` are there or the other side has closed. Returns how many it has read. If an
 * error or a limit ends it after some bytes, it returns their number; the next call returns the
 * error. */
LAZULT_IO_API ssize_t lazult_io_read_all(int fd, void* into, size_t bytes,
                                         const lazult_io_limits* limits);
/** Writes until all bytes are written, also where a write may be short. Returns what
 * lazult_io_read_all() does. */
LAZULT_IO_API ssize_t lazult_io_write_all(int fd, const void* from, size_t bytes,
                                          const lazult_io_limits* limits);

/** recv(2). MSG_DONTWAIT makes the call return -EAGAIN instead of waiting, as it does for the five
 * calls below. */
LAZULT_IO_API ssize_t lazult_io_recv(int fd, void* into, size_t bytes, int flags,
                                     const lazult_io_limits* limits);
/** send(2). Sends all bytes, as lazult_io_write() does. To a socket that the other side has closed:
 * -EPIPE, and no signal. */
LAZULT_IO_API ssize_t lazult_io_send(int fd, const void* from, size_t bytes, int flags,
                                     const lazult_io_limits* limits);
/** recvfrom(2). */
LAZULT_IO_API ssize_t lazult_io_recvfrom(int fd, void* into, size_t bytes, int flags,
                                         struct sockaddr* from, socklen_t* from_bytes,
                                         const lazult_io_limits* limits);
/** sendto(2). No signal, as lazult_io_send(). */
LAZULT_IO_API ssize_t lazult_io_sendto(int fd, const void* from, size_t bytes, int flags,
                                       const struct sockaddr* to, socklen_t to_bytes,
                                       const lazult_io_limits* limits);
/** recvmsg(2). */
LAZULT_IO_API ssize_t lazult_io_recvmsg(int fd, struct msghdr* message, int flags,
                                        const lazult_io_limits* limits);
/** sendmsg(2). No signal, as lazult_io_send(). */
LAZULT_IO_API ssize_t lazult_io_sendmsg(int fd, const struct msghdr* message, int flags,
                                        const lazult_io_limits* limits);

/** accept4(2): returns the new descriptor, which belongs to lazult::io. `flags`: SOCK_CLOEXEC,
 * SOCK_NONBLOCK, or 0. */
LAZULT_IO_API int lazult_io_accept(int fd, struct sockaddr* from, socklen_t* from_bytes, int flags,
                                   const lazult_io_limits* limits);
/** connect(2). After -ETIMEDOUT or -ECANCELED the connection may still come about: close the
 * descriptor. */
LAZULT_IO_API int lazult_io_connect(int fd, const struct sockaddr* to, socklen_t bytes,
                                    const lazult_io_limits* limits);

/** poll(2): waits until a descriptor is ready. Returns how many are, and 0 if the time is over. */
LAZULT_IO_API int lazult_io_poll(struct pollfd* descriptors, nfds_t count,
                                 const lazult_io_limits* limits);
/** Waits until the descriptor can be read without blocking. Returns 0. */
LAZULT_IO_API int lazult_io_await_readable(int fd, const lazult_io_limits* limits);
/** Waits until the descriptor can be written without blocking. Returns 0. */
LAZULT_IO_API int lazult_io_await_writable(int fd, const lazult_io_limits* limits);

/** open(2). The descriptor belongs to lazult::io. `mode` counts where a file is made. */
LAZULT_IO_API int lazult_io_open(const char* path, int flags, mode_t mode);
/** openat(2): lazult_io_open() with a relative path that begins at `folder`, or at the working
 * directory if that is AT_FDCWD. */
LAZULT_IO_API int lazult_io_openat(int folder, const char* path, int flags, mode_t mode);
/** socket(2). The descriptor belongs to lazult::io. Never suspends. */
LAZULT_IO_API int lazult_io_socket(int domain, int type, int protocol);
/** pipe2(2). The descriptors belong to lazult::io; ends[0] is the one to read. Returns 0. Never
 * suspends. */
LAZULT_IO_API int lazult_io_pipe(int ends[2], int flags);
/** fsync(2). */
LAZULT_IO_API int lazult_io_fsync(int fd);
/** fdatasync(2). */
LAZULT_IO_API int lazult_io_fdatasync(int fd);
/** close(2). Callers that wait for the descriptor get -EBADF; OS threads that block in it, and
 * calls that a helper thread or io_uring has begun, go on. Never suspends. */
LAZULT_IO_API int lazult_io_close(int fd);
/** dup2(2): `to` becomes a duplicate of `from`. If `to` was open, it is closed as by
 * lazult_io_close(). It does not belong to lazult::io. `flags`: O_CLOEXEC, or 0. Returns `to`.
 * Never suspends. */
LAZULT_IO_API int lazult_io_dup2(int from, int to, int flags);
/** Returns 1 if the program has put the descriptor in nonblocking mode, and 0 if not. Unlike
 * fcntl(2), it does not see the moments in which lazult_io_accept() and lazult_io_connect() do
 * that. Never suspends. */
LAZULT_IO_API int lazult_io_is_nonblocking(int fd);

/** Gives a descriptor to lazult::io, which from then on knows what it is, and watches it without a
 * system call for each wait. In return it must be closed by lazult_io_close(), or by io::close() of
 * C++, and by nothing else. Other descriptors work as well, and are a little slower. Returns 0, or
 * -EBADF. Never suspends. */
LAZULT_IO_API int lazult_io_adopt(int fd);
/** Takes a descriptor back from lazult::io. It stays open. ULTs that wait for it get -EBADF.
 * Returns 0; -EBADF if the number is negative or above 1,048,575. Never suspends. */
LAZULT_IO_API int lazult_io_release(int fd);

/** Sleeps for `span_ns` nanoseconds or a little longer; other ULTs run meanwhile. Returns 0; 0 at
 * once if `span_ns` is not positive; -ECANCELED; -EDEADLK. LAZULT_IO_NO_TIMEOUT sleeps until the
 * stop. `stop` may be NULL. */
LAZULT_IO_API int lazult_io_sleep(int64_t span_ns, const lazult_io_stop* stop);

/** Calls function(argument) on a helper thread, and suspends the ULT until it has returned: for
 * calls that block in the kernel and that this header does not have, such as getaddrinfo. Each such
 * call takes an OS thread as long as it lasts; LAZULT_IO_HELPERS limits their number, and further
 * calls wait. Nothing ends it before its time. `function` must not wait for a ULT. */
LAZULT_IO_API void lazult_io_call(void (*function)(void*), void* argument);

/** Returns how files are read and written: "io_uring" or "helper threads". Never suspends. */
LAZULT_IO_API const char* lazult_io_file_backend(void);

#ifdef __cplusplus
}
#endif

#endif /* LAZULT_IO_H */
