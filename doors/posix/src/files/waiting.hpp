// SPDX-License-Identifier: BSD-3-Clause
// What the calls on descriptors have in common.
#pragma once

#include <lazult/io.hpp>

#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <climits>
#include <span>

#include "lazult/os/os.hpp"
#include "real/outcome.hpp"

namespace lazult::posix {

// Whether a call on the descriptor, made by the code at `from`, suspends a ULT where it would
// block. Not for descriptors in nonblocking mode.
bool suspends_on(int fd, const void* from) noexcept;

// Whether a ULT may have waited for a descriptor, so that the end of one must be told.
bool may_be_waited_for() noexcept;

// The limits that SO_RCVTIMEO (or SO_SNDTIMEO) of a socket sets.
io::limits limits_of(int fd, int option) noexcept;
// A socket has got such a limit, or may have.
void note_socket_times() noexcept;

// Whether the limit has ended the call, and not a connection that has timed out.
inline bool was_limited(const io::result& r, const io::limits& until) noexcept {
    return r.error_number() == ETIMEDOUT && until.deadline_ns() >= 0 &&
           os::now_ns() >= until.deadline_ns();
}

// What the call returns. A limit that a socket has set itself ends a call with EAGAIN.
inline ssize_t as_call(const io::result& r, const io::limits& until = {}) noexcept {
    const int error = was_limited(r, until) ? EAGAIN : r.error_number();
    return as_posix<ssize_t>(r.ok() ? r.value() : -error);
}

// A call of lazult::io that takes from the descriptor: call(limits).
template <class Call>
ssize_t take_from(int fd, Call call) {
    const io::limits until = limits_of(fd, SO_RCVTIMEO);
    return as_call(call(until), until);
}

// The other side of this socket has closed: the caller gets a signal, as from the kernel.
void raise_for(int fd) noexcept;

// The same for one that gives to the descriptor. `is_quiet`: without a signal.
template <class Call>
ssize_t give_to(int fd, bool is_quiet, Call call) {
    const io::limits until = limits_of(fd, SO_SNDTIMEO);
    const io::result r = call(until);
    if (r.error_number() == EPIPE && !is_quiet) {
        raise_for(fd);
    }
    return as_call(r, until);
}

// Lists of buffers as POSIX allows them; the C library says what is wrong with others.
inline bool is_good(const iovec* pieces, int count) noexcept {
    return count >= 0 && count <= IOV_MAX && (pieces != nullptr || count == 0);
}
inline std::span<const iovec> list(const iovec* pieces, int count) noexcept {
    return {pieces, static_cast<std::size_t>(count)};
}

}  // namespace lazult::posix
