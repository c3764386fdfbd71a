// SPDX-License-Identifier: BSD-3-Clause
// A call that may have to wait in the kernel, as the ways of making it see it: it can be tried, or
// be made by a thread that may block. Results are what the system call returns, or -errno.
#pragma once

#include <cstdint>

namespace lazult::io::inner {

enum class direction : std::uint8_t { in, out };

// What a descriptor refers to, as far as it decides how calls are made.
enum class kind : std::uint8_t {
    tcp,     // a stream socket of the internet, of which a short read means that it is empty
    socket,  // any other
    pipe,
    file,    // ready always, as epoll sees it, but calls may wait for a device
    direct,  // a file in direct mode: no call can be tried
    other,   // a terminal, an eventfd, an inotify descriptor
};
const char* name(kind what) noexcept;

// attempt() of a call that cannot be tried: it might block the thread.
inline constexpr std::int64_t cannot_try = -0x10000;
inline constexpr std::int64_t would_wait = -11;  // -EAGAIN
// attempt() of a call that would wait for something of which no edge tells: it is tried again.
inline constexpr std::int64_t try_later = -0x10001;

struct file_operation;

class call {
public:
    call(int descriptor, direction way) noexcept : fd(descriptor), towards(way) {}
    call(const call&) = delete;
    call& operator=(const call&) = delete;

    // Makes the call if it need not wait. Else returns would_wait, cannot_try or try_later.
    virtual std::int64_t attempt(kind what) noexcept = 0;
    // attempt() by the unit that alone makes such calls on this descriptor.
    virtual std::int64_t attempt_alone() noexcept { return cannot_try; }
    // Whether the call waits where the descriptor has nothing for it. Else it is always tried.
    virtual bool waits_for_bytes() const noexcept { return true; }
    // Makes the call, on a thread that may block. Returns would_wait of a descriptor in nonblocking
    // mode.
    virtual std::int64_t block() noexcept = 0;
    // Whether the result of attempt() shows that the descriptor has nothing more for such a call.
    virtual bool has_drained(kind, std::int64_t) const noexcept { return false; }
    // Fills in the call as a ring makes it. False: a ring does not know such calls. The call must
    // live until its end.
    virtual bool fits_ring(file_operation&) noexcept { return false; }
    // How many bytes have been moved before the call returned would_wait.
    virtual std::int64_t partial() const noexcept { return 0; }

    const int fd;
    const direction towards;

protected:
    ~call() = default;
};

}  // namespace lazult::io::inner
