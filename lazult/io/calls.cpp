// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/io/calls.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <numeric>

#include "lazult/base/base.hpp"
#include "lazult/io/descriptor.hpp"

namespace lazult::io::inner {
namespace {

// The system call's result, or -errno. errno stays as it was, because on a stream it is a unit's.
template <class SystemCall>
std::int64_t result_of(SystemCall make) noexcept {
    const base::errno_guard keeps_errno;
    const std::int64_t result = make();
    return result >= 0 ? result : -std::int64_t{base::errno_guard::current()};
}

// recv() and send() of libc are cancellation points of Pthreads. In a process with several threads
// each costs two locked instructions for that, and no call below may end so. Sanitizers want to see
// the calls of libc.
ssize_t receive(int fd, void* into, std::size_t bytes, int flags) noexcept {
#if LAZULT_TSAN || LAZULT_ASAN
    return ::recv(fd, into, bytes, flags);
#else
    return ::syscall(SYS_recvfrom, fd, into, bytes, flags, nullptr, nullptr);
#endif
}
ssize_t send(int fd, const void* from, std::size_t bytes, int flags) noexcept {
#if LAZULT_TSAN || LAZULT_ASAN
    return ::send(fd, from, bytes, flags);
#else
    return ::syscall(SYS_sendto, fd, from, bytes, flags, nullptr, 0);
#endif
}

int pieces_of(std::span<const iovec> all) noexcept { return static_cast<int>(all.size()); }

std::int64_t bytes_of(std::span<const iovec> all) noexcept {
    if (all.size() == 1) LAZULT_LIKELY {
        return static_cast<std::int64_t>(all[0].iov_len);
    }
    return std::accumulate(
        all.begin(), all.end(), std::int64_t{0},
        [](std::int64_t sum, const iovec& each) { return sum + std::int64_t(each.iov_len); });
}

bool is_nonblocking(int fd) noexcept { return (::fcntl(fd, F_GETFL) & O_NONBLOCK) != 0; }

bool is_socket(kind what) noexcept { return what == kind::tcp || what == kind::socket; }

// Whether the descriptor or a sandbox may have refused the call's form. If the descriptor permits
// no such call at all, the plain form says so, too.
bool is_refusal(std::int64_t result) noexcept {
    return result == -EOPNOTSUPP || result == -ENOSYS || result == -EPERM || result == -EACCES;
}

// Makes `try_it`, a call that does not wait, of descriptors that allow that. Other descriptors must
// be in nonblocking mode.
template <class Try, class Plain>
std::int64_t attempt_or(int fd, Try try_it, Plain plain) noexcept {
    const std::int64_t result = result_of(try_it);
    if (!is_refusal(result)) LAZULT_LIKELY {
        return result;
    }
    return is_nonblocking(fd) ? plain() : cannot_try;
}

std::int64_t plain_read(int fd, std::span<const iovec> into, off_t offset) noexcept {
    return result_of([&] {
        return offset < 0 ? ::readv(fd, into.data(), pieces_of(into))
                          : ::preadv(fd, into.data(), pieces_of(into), offset);
    });
}

std::int64_t plain_write(int fd, std::span<const iovec> from, off_t offset) noexcept {
    return result_of([&] {
        return offset < 0 ? ::writev(fd, from.data(), pieces_of(from))
                          : ::pwritev(fd, from.data(), pieces_of(from), offset);
    });
}

// The part of a list of buffers behind the first `done` bytes: as many as fit here.
class rest_of {
public:
    rest_of(std::span<const iovec> all, std::int64_t done) noexcept {
        for (const iovec& each : all) {
            const auto length = static_cast<std::int64_t>(each.iov_len);
            if (done >= length) {
                done -= length;
            } else if (count_ < pieces_.size()) {
                pieces_[count_++] = {static_cast<char*>(each.iov_base) + done,
                                     each.iov_len - static_cast<std::size_t>(done)};
                done = 0;
            }
        }
    }
    std::span<const iovec> pieces() const noexcept { return {pieces_.data(), count_}; }

private:
    std::array<iovec, 16> pieces_{};
    std::size_t count_ = 0;
};

msghdr message_of(std::span<const iovec> pieces) noexcept {
    msghdr message{};
    message.msg_iov = const_cast<iovec*>(pieces.data());
    message.msg_iovlen = pieces.size();
    return message;
}

// A short read of a stream of bytes means that there is no more.
bool is_short_of_bytes(kind what, std::int64_t result, std::int64_t wanted) noexcept {
    return what == kind::tcp && result > 0 && result < wanted;
}

}  // namespace

std::int64_t read_call::attempt(kind what) noexcept {
    if (is_socket(what) && offset_ < 0) LAZULT_LIKELY {
        return result_of([this] {
            if (into_.size() == 1) LAZULT_LIKELY {
                return receive(fd, into_[0].iov_base, into_[0].iov_len, MSG_DONTWAIT);
            }
            msghdr message = message_of(into_);
            return ::recvmsg(fd, &message, MSG_DONTWAIT);
        });
    }
    if (what == kind::file && offset_ < 0) {
        return cannot_try;  // a part that is read leaves the file's position behind it
    }
    const std::int64_t result = attempt_or(
        fd, [this] { return ::preadv2(fd, into_.data(), pieces_of(into_), offset_, RWF_NOWAIT); },
        [this] { return plain_read(fd, into_, offset_); });
    const bool is_part = what == kind::file && result > 0 && result < bytes_of(into_);
    return is_part ? cannot_try : result;  // the rest is not in memory, or it is the file's end
}

std::int64_t read_call::block() noexcept { return plain_read(fd, into_, offset_); }

bool read_call::waits_for_bytes() const noexcept { return offset_ < 0 && bytes_of(into_) > 0; }

bool read_call::has_drained(kind what, std::int64_t result) const noexcept {
    return is_short_of_bytes(what, result, bytes_of(into_));
}

bool read_call::fits_ring(file_operation& form) noexcept {
    form.what = file_operation::action::read;
    form.pieces = into_;
    form.offset = offset_;
    return true;
}

std::int64_t write_call::attempt(kind what) noexcept {
    const std::int64_t wanted = bytes_of(from_);
    do {
        const std::int64_t written = attempt_rest(what);
        if (written <= 0) {
            const bool goes_on =
                written == would_wait || written == cannot_try || written == -EINTR || done_ == 0;
            return goes_on ? written : done_;
        }
        done_ += written;
    } while (done_ < wanted);
    return done_;
}

std::int64_t write_call::attempt_rest(kind what) noexcept {
    if (done_ == 0) LAZULT_LIKELY {
        return attempt_pieces(what, from_);
    }
    const rest_of rest(from_, done_);
    return attempt_pieces(what, rest.pieces());
}

std::int64_t write_call::attempt_pieces(kind what, std::span<const iovec> pieces) noexcept {
    if (is_socket(what) && offset_ < 0) LAZULT_LIKELY {
        return result_of([&] {
            if (pieces.size() == 1) LAZULT_LIKELY {
                return send(fd, pieces[0].iov_base, pieces[0].iov_len, MSG_DONTWAIT | MSG_NOSIGNAL);
            }
            const msghdr message = message_of(pieces);
            return ::sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
        });
    }
    const off_t at = offset_now();
    return attempt_or(
        fd, [&] { return ::pwritev2(fd, pieces.data(), pieces_of(pieces), at, RWF_NOWAIT); },
        [&] { return plain_write(fd, pieces, at); });
}

std::int64_t write_call::block() noexcept {
    const std::int64_t wanted = bytes_of(from_);
    do {
        const rest_of rest(from_, done_);
        const std::int64_t written = block_rest(done_ == 0 ? from_ : rest.pieces());
        if (written <= 0) {
            const bool goes_on = written == would_wait || written == -EINTR || done_ == 0;
            return goes_on ? written : done_;
        }
        done_ += written;
    } while (done_ < wanted);
    return done_;
}

// A socket is written without a signal.
std::int64_t write_call::block_rest(std::span<const iovec> pieces) noexcept {
    if (offset_ < 0) {
        const msghdr message = message_of(pieces);
        const std::int64_t sent = result_of([&] { return ::sendmsg(fd, &message, MSG_NOSIGNAL); });
        if (sent != -ENOTSOCK) {
            return sent;
        }
    }
    return plain_write(fd, pieces, offset_now());
}

bool write_call::waits_for_bytes() const noexcept { return offset_ < 0 && bytes_of(from_) > 0; }

bool write_call::fits_ring(file_operation& form) noexcept {
    if (done_ != 0) {
        return false;
    }
    form.what = file_operation::action::write;
    form.pieces = from_;
    form.offset = offset_;
    return true;
}

std::int64_t receive_call::attempt(kind) noexcept {
    return result_of([this] { return ::recvmsg(fd, &message_, flags_ | MSG_DONTWAIT); });
}

std::int64_t receive_call::block() noexcept {
    return result_of([this] { return ::recvmsg(fd, &message_, flags_); });
}

std::int64_t recv_call::attempt(kind) noexcept {
    return result_of([this] { return receive(fd, into_, bytes_, flags_ | MSG_DONTWAIT); });
}

std::int64_t recv_call::block() noexcept {
    return result_of([this] { return ::recv(fd, into_, bytes_, flags_); });
}

bool recv_call::has_drained(kind what, std::int64_t result) const noexcept {
    return flags_ == 0 && is_short_of_bytes(what, result, static_cast<std::int64_t>(bytes_));
}

std::int64_t send_call::attempt(kind) noexcept {
    const std::int64_t result = send_rest(MSG_DONTWAIT);
    // the receiver's queue is full, of which no edge tells
    return result == would_wait && goes_to_local_address() ? try_later : result;
}

// Sends all bytes, as a blocking sendmsg without signals does. What goes with the first byte is not
// sent again.
std::int64_t send_call::send_rest(int more_flags) noexcept {
    const std::span<const iovec> all(message_.msg_iov, message_.msg_iovlen);
    const std::int64_t wanted = bytes_of(all);
    do {
        const rest_of rest(all, done_);
        msghdr part = message_;
        if (done_ > 0) {
            part.msg_iov = const_cast<iovec*>(rest.pieces().data());
            part.msg_iovlen = rest.pieces().size();
            part.msg_control = nullptr;
            part.msg_controllen = 0;
        }
        const std::int64_t sent =
            result_of([&] { return ::sendmsg(fd, &part, flags_ | more_flags | MSG_NOSIGNAL); });
        if (sent <= 0) {
            return sent == would_wait || sent == -EINTR || done_ == 0 ? sent : done_;
        }
        done_ += sent;
    } while (done_ < wanted);
    return done_;
}

// A datagram to an address of AF_UNIX.
bool send_call::goes_to_local_address() const noexcept {
    const auto* const to = static_cast<const sockaddr*>(message_.msg_name);
    return to != nullptr && message_.msg_namelen >= sizeof(sa_family_t) && to->sa_family == AF_UNIX;
}

std::int64_t send_call::block() noexcept { return send_rest(0); }

namespace {

// For the moment of one call: the descriptor is in nonblocking mode.
class nonblocking_moment {
public:
    explicit nonblocking_moment(int fd) noexcept
        : fd_(fd), flags_(::fcntl(fd, F_GETFL)), d_(find_descriptor(fd)) {
        if (changes()) {
            if (d_ != nullptr) {
                d_->begin_moment();
            }
            ::fcntl(fd_, F_SETFL, flags_ | O_NONBLOCK);
        }
    }
    ~nonblocking_moment() {
        if (changes()) {
            ::fcntl(fd_, F_SETFL, flags_);
            if (d_ != nullptr) {
                d_->end_moment();
            }
        }
    }
    nonblocking_moment(const nonblocking_moment&) = delete;
    nonblocking_moment& operator=(const nonblocking_moment&) = delete;

private:
    bool changes() const noexcept { return flags_ >= 0 && (flags_ & O_NONBLOCK) == 0; }

    int fd_;
    int flags_;
    descriptor* d_;
};

}  // namespace

// The mode must not be looked at here: another unit may have changed it for its own moment.
std::int64_t accept_call::attempt(kind) noexcept { return cannot_try; }

std::int64_t accept_call::attempt_alone() noexcept {
    const base::errno_guard keeps_errno;
    const nonblocking_moment moment(fd);
    return block();
}

std::int64_t accept_call::block() noexcept {
    return result_of([this] { return ::accept4(fd, from_, from_bytes_, flags_); });
}

namespace {

// Of a connection that is under way no more. If somebody else has read the error, this is what
// connect() says then.
std::int64_t outcome_of_connection(int fd) noexcept {
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) {
        return -error;
    }
    sockaddr_storage peer;
    socklen_t peer_size = sizeof peer;
    const bool is_there = ::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &peer_size) == 0;
    return is_there ? 0 : -ECONNABORTED;
}

}  // namespace

// The first attempt begins the connection. The next ones come after an edge, and look what has
// become of it.
std::int64_t connect_call::attempt(kind) noexcept {
    if (!has_begun_) {
        const base::errno_guard keeps_errno;
        const nonblocking_moment moment(fd);
        const std::int64_t result = block();
        has_begun_ = result == -EINPROGRESS || result == -EALREADY;
        if (result == would_wait) {
            return try_later;  // the other side's queue is full, as local sockets say
        }
        return has_begun_ ? would_wait : result;
    }
    const base::errno_guard keeps_errno;
    pollfd state{fd, POLLOUT, 0};
    const std::int64_t found = result_of([&state] { return ::poll(&state, 1, 0); });
    if (found < 0) {
        return found;  // a signal ends also a poll that does not wait
    }
    return found == 0 ? would_wait : outcome_of_connection(fd);
}

std::int64_t connect_call::block() noexcept {
    return result_of([this] { return ::connect(fd, to_, bytes_); });
}

std::int64_t sync_call::block() noexcept {
    return result_of([this] { return data_only_ ? ::fdatasync(fd) : ::fsync(fd); });
}

bool sync_call::fits_ring(file_operation& form) noexcept {
    form.what = data_only_ ? file_operation::action::sync_data : file_operation::action::sync;
    return true;
}

}  // namespace lazult::io::inner
