// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/io/thread_wait.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <new>
#include <vector>

namespace lazult::io::inner {
namespace {

// An eventfd that a stop request makes readable.
class stop_bell {
public:
    stop_bell(sync::stop_watch& stop) noexcept
        : stop_(stop), fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
        if (fd_ < 0) {
            fd_ = -base::errno_guard::current();
        }
        stop_.begin(this, [](void* bell) noexcept {
            const std::uint64_t one = 1;
            static_cast<void>(!::write(static_cast<stop_bell*>(bell)->fd_, &one, sizeof one));
        });
    }
    ~stop_bell() {
        stop_.watch_ended();
        if (fd_ >= 0) {
            ::close(fd_);
        }
    }
    stop_bell(const stop_bell&) = delete;
    stop_bell& operator=(const stop_bell&) = delete;

    // Or -errno.
    int descriptor() const noexcept { return fd_; }

private:
    sync::stop_watch& stop_;
    int fd_;
};

std::int64_t poll_until(std::span<pollfd> all, std::int64_t deadline_ns) noexcept {
    constexpr std::int64_t second = 1'000'000'000;
    for (;;) {
        const std::int64_t left =
            deadline_ns < 0 ? 0 : std::max<std::int64_t>(deadline_ns - os::now_ns(), 0);
        const timespec limit{static_cast<time_t>(left / second), static_cast<long>(left % second)};
        const int ready =
            ::ppoll(all.data(), all.size(), deadline_ns < 0 ? nullptr : &limit, nullptr);
        if (ready >= 0) {
            return ready;
        }
        if (const int error = base::errno_guard::current(); error != EINTR) {
            return -error;
        }
    }
}

// The bell is polled as one descriptor more.
std::int64_t poll_with_bell(std::span<pollfd> descriptors, const sync::wait_limit& until) {
    std::vector<pollfd> all;
    if (!base::has_memory_for([&] { all.assign(descriptors.begin(), descriptors.end()); }) ||
        !base::has_memory_for([&] { all.push_back({}); })) {
        return -ENOMEM;
    }
    const stop_bell bell(*until.stop);
    if (bell.descriptor() < 0) {
        return bell.descriptor();
    }
    all.back() = {bell.descriptor(), POLLIN, 0};
    const std::int64_t ready = poll_until(all, until.deadline_ns);
    const bool was_stopped = all.back().revents != 0;
    all.pop_back();
    std::copy(all.begin(), all.end(), descriptors.begin());
    if (was_stopped) {
        return ready == 1 ? -ECANCELED : ready - 1;
    }
    return ready;
}

}  // namespace

std::int64_t poll_as_thread(std::span<pollfd> descriptors, const sync::wait_limit& until) {
    const base::errno_guard keeps_errno;
    return until.stop != nullptr ? poll_with_bell(descriptors, until)
                                 : poll_until(descriptors, until.deadline_ns);
}

std::int64_t wait_as_thread(int fd, direction way, const sync::wait_limit& until) {
    pollfd one{fd, static_cast<short>(way == direction::in ? POLLIN : POLLOUT), 0};
    const std::int64_t ready = poll_as_thread({&one, 1}, until);
    if (ready == 0) {
        return -ETIMEDOUT;
    }
    return ready > 0 ? 0 : ready;
}

}  // namespace lazult::io::inner
