// SPDX-License-Identifier: BSD-3-Clause
// The calls of POSIX in the form that perform() makes. Each object is one call, on the caller's
// stack.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "lazult/io/call.hpp"
#include "lazult/io/ring.hpp"

namespace lazult::io::inner {

// read, readv, pread, preadv. The offset is -1 for the first two.
class read_call final : public call {
public:
    read_call(int descriptor, std::span<const iovec> into, off_t offset) noexcept
        : call(descriptor, direction::in), into_(into), offset_(offset) {}
    std::int64_t attempt(kind what) noexcept override;
    bool waits_for_bytes() const noexcept override;
    std::int64_t block() noexcept override;
    bool has_drained(kind what, std::int64_t result) const noexcept override;
    bool fits_ring(file_operation& form) noexcept override;

private:
    std::span<const iovec> into_;
    off_t offset_;
};

// write, writev, pwrite, pwritev. As a blocking write does, it writes all bytes.
class write_call final : public call {
public:
    write_call(int descriptor, std::span<const iovec> from, off_t offset) noexcept
        : call(descriptor, direction::out), from_(from), offset_(offset) {}
    std::int64_t attempt(kind what) noexcept override;
    bool waits_for_bytes() const noexcept override;
    std::int64_t block() noexcept override;
    std::int64_t partial() const noexcept override { return done_; }
    bool fits_ring(file_operation& form) noexcept override;

private:
    std::int64_t attempt_rest(kind what) noexcept;
    std::int64_t attempt_pieces(kind what, std::span<const iovec> pieces) noexcept;
    std::int64_t block_rest(std::span<const iovec> pieces) noexcept;
    off_t offset_now() const noexcept { return offset_ < 0 ? -1 : offset_ + done_; }

    std::span<const iovec> from_;
    off_t offset_;
    std::int64_t done_ = 0;
};

class receive_call final : public call {
public:
    receive_call(int descriptor, msghdr& message, int flags) noexcept
        : call(descriptor, direction::in), message_(message), flags_(flags) {}
    std::int64_t attempt(kind what) noexcept override;
    bool waits_for_bytes() const noexcept override { return false; }
    std::int64_t block() noexcept override;

private:
    msghdr& message_;
    int flags_;
};

// Of one plain buffer, which is what servers mostly do.
class recv_call final : public call {
public:
    recv_call(int descriptor, void* into, std::size_t bytes, int flags) noexcept
        : call(descriptor, direction::in), into_(into), bytes_(bytes), flags_(flags) {}
    std::int64_t attempt(kind what) noexcept override;
    bool waits_for_bytes() const noexcept override { return bytes_ > 0; }
    std::int64_t block() noexcept override;
    bool has_drained(kind what, std::int64_t result) const noexcept override;

private:
    void* into_;
    std::size_t bytes_;
    int flags_;
};

class send_call final : public call {
public:
    send_call(int descriptor, const msghdr& message, int flags) noexcept
        : call(descriptor, direction::out), message_(message), flags_(flags) {}
    std::int64_t attempt(kind what) noexcept override;
    bool waits_for_bytes() const noexcept override { return false; }
    std::int64_t block() noexcept override;
    std::int64_t partial() const noexcept override { return done_; }

private:
    std::int64_t send_rest(int more_flags) noexcept;
    bool goes_to_local_address() const noexcept;

    const msghdr& message_;
    int flags_;
    std::int64_t done_ = 0;
};

class accept_call final : public call {
public:
    accept_call(int descriptor, sockaddr* from, socklen_t* from_bytes, int flags) noexcept
        : call(descriptor, direction::in), from_(from), from_bytes_(from_bytes), flags_(flags) {}
    std::int64_t attempt(kind what) noexcept override;
    std::int64_t attempt_alone() noexcept override;
    std::int64_t block() noexcept override;

private:
    sockaddr* from_;
    socklen_t* from_bytes_;
    int flags_;
};

class connect_call final : public call {
public:
    connect_call(int descriptor, const sockaddr* to, socklen_t bytes) noexcept
        : call(descriptor, direction::out), to_(to), bytes_(bytes) {}
    std::int64_t attempt(kind what) noexcept override;
    bool waits_for_bytes() const noexcept override { return false; }
    std::int64_t block() noexcept override;

private:
    const sockaddr* to_;
    socklen_t bytes_;
    bool has_begun_ = false;
};

class sync_call final : public call {
public:
    sync_call(int descriptor, bool data_only) noexcept
        : call(descriptor, direction::out), data_only_(data_only) {}
    std::int64_t attempt(kind) noexcept override { return cannot_try; }
    std::int64_t block() noexcept override;
    bool fits_ring(file_operation& form) noexcept override;

private:
    bool data_only_;
};

}  // namespace lazult::io::inner
