// SPDX-License-Identifier: BSD-3-Clause
// Calls that would block in the kernel. They go through <lazult/io.h>, with the times and codes of
// this interface.
#include <abtx.h>
#include <lazult/io.h>

#include <algorithm>
#include <cerrno>

#include "sync/deadline.hpp"
#include "sync/waiting.hpp"

namespace {

using namespace lazult::abt;

int code_of(std::int64_t value) noexcept {
    switch (value) {
        case -ENOMEM: return ABT_ERR_MEM;
        case -EDEADLK: return ABT_ERR_INV_THREAD;
        default: return value < 0 ? ABT_ERR_SYS : ABT_SUCCESS;
    }
}

// Gives the result to the caller if it wants it, and returns `code`.
template <class Number>
int answer(std::int64_t value, int code, Number* result, const char* function) noexcept {
    if (result != nullptr) {
        *result = static_cast<Number>(value);
    }
    return lazult::abt::result(code, function);
}

// How long a call may wait.
class patience {
public:
    patience(const caller& me, const timespec* abstime) noexcept
        : deadline_(abstime == nullptr ? sync::no_deadline : deadline_of(*abstime)),
          never_waits_(me.is_tasklet()) {}

    bool can_be_kept(const caller& me) const noexcept {
        return !me.is_ult() || can_wait_until(deadline_);
    }
    lazult_io_limits limits() const noexcept {
        if (never_waits_) {
            return {0, nullptr};
        }
        if (deadline_ == sync::no_deadline) {
            return {LAZULT_IO_NO_TIMEOUT, nullptr};
        }
        return {std::max<std::int64_t>(deadline_ - os::now_ns(), 0), nullptr};
    }
    // What ETIMEDOUT of a call means: that the time is over, that a tasklet would have to wait, or
    // that the system gave up, as it does with connections.
    bool is_over() const noexcept {
        return deadline_ != sync::no_deadline && os::now_ns() >= deadline_;
    }
    bool never_waits() const noexcept { return never_waits_; }

private:
    std::int64_t deadline_;
    bool never_waits_;
};

// Makes call(limits), which returns a number as <lazult/io.h> does.
template <class Number, class Call>
int perform(const timespec* abstime, Number* result, const char* function, Call call) {
    if (abstime != nullptr && !is_valid(*abstime)) {
        return answer(-EINVAL, ABT_ERR_INV_ARG, result, function);
    }
    const caller me = this_caller();
    const patience mine(me, abstime);
    if (!mine.can_be_kept(me)) {
        return answer(-ENOMEM, ABT_ERR_MEM, result, function);
    }
    const lazult_io_limits limits = mine.limits();
    std::int64_t value = 0;
    {
        const waiting scope(me, ABT_SYNC_EVENT_TYPE_OTHER, nullptr);
        value = call(&limits);
    }
    if (value == -ETIMEDOUT && mine.is_over()) {
        return answer(value, ABT_ERR_COND_TIMEDOUT, result, function);
    }
    if (value == -ETIMEDOUT && mine.never_waits()) {
        value = -EDEADLK;
    }
    return answer(value, code_of(value), result, function);
}

// The same for calls without a time, which always wait.
template <class Number, class Call>
int perform_apart(Number* result, const char* function, Call call) {
    const caller me = this_caller();
    if (me.is_tasklet()) {
        return answer(-EDEADLK, ABT_ERR_INV_THREAD, result, function);
    }
    std::int64_t value = 0;
    {
        const waiting scope(me, ABT_SYNC_EVENT_TYPE_OTHER, nullptr);
        value = call();
    }
    return answer(value, code_of(value), result, function);
}

}  // namespace

extern "C" {

int ABTX_io_read(int fd, void* into, size_t bytes, const struct timespec* abstime,
                 ssize_t* result) {
    return perform(abstime, result, __func__, [&](const lazult_io_limits* limits) {
        return lazult_io_read(fd, into, bytes, limits);
    });
}
int ABTX_io_write(int fd, const void* from, size_t bytes, const struct timespec* abstime,
                  ssize_t* result) {
    return perform(abstime, result, __func__, [&](const lazult_io_limits* limits) {
        return lazult_io_write(fd, from, bytes, limits);
    });
}
int ABTX_io_pread(int fd, void* into, size_t bytes, off_t offset, const struct timespec* abstime,
                  ssize_t* result) {
    return perform(abstime, result, __func__, [&](const lazult_io_limits* limits) {
        return lazult_io_pread(fd, into, bytes, offset, limits);
    });
}
int ABTX_io_pwrite(int fd, const void* from, size_t bytes, off_t offset,
                   const struct timespec* abstime, ssize_t* result) {
    return perform(abstime, result, __func__, [&](const lazult_io_limits* limits) {
        return lazult_io_pwrite(fd, from, bytes, offset, limits);
    });
}

int ABTX_io_recv(int fd, void* into, size_t bytes, int flags, const struct timespec* abstime,
                 ssize_t* result) {
    return perform(abstime, result, __func__, [&](const lazult_io_limits* limits) {
        return lazult_io_recv(fd, into, bytes, flags, limits);
    });
}
int ABTX_io_send(int fd, const void* from, size_t bytes, int flags, const struct timespec* abstime,
                 ssize_t* result) {
    return perform(abstime, result, __func__, [&](const lazult_io_limits* limits) {
        return lazult_io_send(fd, from, bytes, flags, limits);
    });
}
int ABTX_io_accept(int fd, struct sockaddr* address, socklen_t* address_bytes, int flags,
                   const struct timespec* abstime, int* result) {
    ABT_GIVE_UP_UNLESS(result != nullptr, ABT_ERR_INV_ARG);
    return perform(abstime, result, __func__, [&](const lazult_io_limits* limits) {
        return lazult_io_accept(fd, address, address_bytes, flags, limits);
    });
}
int ABTX_io_connect(int fd, const struct sockaddr* address, socklen_t address_bytes,
                    const struct timespec* abstime, int* result) {
    return perform(abstime, result, __func__, [&](const lazult_io_limits* limits) {
        return lazult_io_connect(fd, address, address_bytes, limits);
    });
}
int ABTX_io_poll(struct pollfd* descriptors, nfds_t num_descriptors, const struct timespec* abstime,
                 int* result) {
    return perform(abstime, result, __func__, [&](const lazult_io_limits* limits) {
        const int ready = lazult_io_poll(descriptors, num_descriptors, limits);
        return ready == 0 ? -ETIMEDOUT : ready;
    });
}

int ABTX_io_open(const char* path, int flags, mode_t mode, int* result) {
    ABT_GIVE_UP_UNLESS(result != nullptr, ABT_ERR_INV_ARG);
    return perform_apart(result, __func__, [&] { return lazult_io_open(path, flags, mode); });
}
int ABTX_io_fsync(int fd, int* result) {
    return perform_apart(result, __func__, [&] { return lazult_io_fsync(fd); });
}
int ABTX_io_fdatasync(int fd, int* result) {
    return perform_apart(result, __func__, [&] { return lazult_io_fdatasync(fd); });
}
int ABTX_io_close(int fd, int* result) {
    const int value = lazult_io_close(fd);
    return answer(value, code_of(value), result, __func__);
}
int ABTX_io_adopt(int fd, int* result) {
    const int value = lazult_io_adopt(fd);
    return answer(value, code_of(value), result, __func__);
}
int ABTX_io_call(void (*function)(void*), void* arg) {
    int unused = 0;
    return perform_apart(&unused, __func__, [&] {
        lazult_io_call(function, arg);
        return 0;
    });
}

}  // extern "C"
