// SPDX-License-Identifier: BSD-3-Clause
// Waits for several descriptors: poll, select, epoll. Calls that change the signals that are
// blocked meanwhile block the thread, because the signals are the thread's.
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "caller/caller.hpp"
#include "files/waiting.hpp"
#include "locks/times.hpp"
#include "real/real.hpp"

namespace lazult::posix {
namespace {

LAZULT_REAL real<int(pollfd*, nfds_t, int)> real_poll{"poll"};
LAZULT_REAL real<int(pollfd*, nfds_t, const timespec*, const sigset_t*)> real_ppoll{"ppoll"};
LAZULT_REAL real<int(pollfd*, nfds_t, int, size_t)> real_poll_chk{"__poll_chk"};
LAZULT_REAL real<int(pollfd*, nfds_t, const timespec*, const sigset_t*, size_t)> real_ppoll_chk{
    "__ppoll_chk"};
LAZULT_REAL real<int(int, fd_set*, fd_set*, fd_set*, timeval*)> real_select{"select"};
LAZULT_REAL real<int(int, fd_set*, fd_set*, fd_set*, const timespec*, const sigset_t*)>
    real_pselect{"pselect"};
LAZULT_REAL real<int(int, epoll_event*, int, int)> real_epoll_wait{"epoll_wait"};
LAZULT_REAL real<int(int, epoll_event*, int, int, const sigset_t*)> real_epoll_pwait{"epoll_pwait"};
LAZULT_REAL real<int(int, epoll_event*, int, const timespec*, const sigset_t*)> real_epoll_pwait2{
    "epoll_pwait2"};

io::limits limits_of_ns(std::int64_t ns) {
    return ns < 0 || ns == INT64_MAX ? io::limits() : io::limits(std::chrono::nanoseconds(ns));
}
std::int64_t ns_of_ms(int ms) noexcept { return ms < 0 ? -1 : std::int64_t{ms} * 1'000'000; }
// -1 for none.
std::int64_t ns_of(const timespec* time) noexcept {
    return time == nullptr ? -1 : nanoseconds_of(*time);
}
bool is_good_time(const timespec* time) noexcept {
    return time == nullptr || (is_valid(*time) && time->tv_sec >= 0);
}

int poll_for(pollfd* all, nfds_t count, std::int64_t ns) {
    return static_cast<int>(as_call(io::poll({all, count}, limits_of_ns(ns))));
}

// The sets of a select. A set that the program left out is empty, and stays so.
class selection {
public:
    selection(int count, fd_set* to_read, fd_set* to_write, fd_set* urgent)
        : sets_{to_read, to_write, urgent} {
        for (int fd = 0; fd < count; ++fd) {
            short events = 0;
            for (std::size_t i = 0; i < std::size(sets_); ++i) {
                if (sets_[i] != nullptr && FD_ISSET(fd, sets_[i])) {
                    events = static_cast<short>(events | wanted[i]);
                }
            }
            if (events != 0) {
                polled_.push_back({fd, events, 0});
            }
        }
    }

    // Returns what select() does.
    int wait(std::int64_t ns) {
        const io::result r = io::poll(polled_, limits_of_ns(ns));
        if (!r.ok()) {
            return as_posix(-r.error_number());
        }
        for (const pollfd& each : polled_) {
            if ((each.revents & POLLNVAL) != 0) {
                return as_posix(-EBADF);
            }
        }
        return as_posix(fill());
    }

private:
    // As the kernel's select() does: errors and the end make a descriptor readable.
    static constexpr short wanted[] = {POLLIN, POLLOUT, POLLPRI};
    static constexpr short found[] = {POLLIN | POLLHUP | POLLERR, POLLOUT | POLLERR, POLLPRI};

    int fill() noexcept {
        int ready = 0;
        for (std::size_t i = 0; i < std::size(sets_); ++i) {
            for (const pollfd& each : polled_) {
                if ((each.events & wanted[i]) == 0) {
                    continue;
                }
                if ((each.revents & found[i]) != 0) {
                    ++ready;
                } else {
                    FD_CLR(each.fd, sets_[i]);
                }
            }
        }
        return ready;
    }

    fd_set* sets_[3];
    std::vector<pollfd> polled_;
};

// An epoll descriptor is readable when one of its own is ready. Another caller may take the events.
template <class Look>
int wait_in_epoll(int epoll, std::int64_t ns, Look look) {
    const io::limits until = limits_of_ns(ns);
    for (;;) {
        const int found = look();
        if (found != 0 || ns == 0) {
            return found;
        }
        const io::result r = io::await_readable(epoll, until);
        if (r.error_number() == ETIMEDOUT) {
            return look();
        }
        if (!r.ok()) {
            return as_posix(-r.error_number());
        }
    }
}

}  // namespace
}  // namespace lazult::posix

using namespace lazult;
using namespace lazult::posix;

extern "C" {

int poll(pollfd* all, nfds_t count, int ms) {
    return suspendable(__builtin_return_address(0)) == nullptr ? real_poll(all, count, ms)
                                                               : poll_for(all, count, ns_of_ms(ms));
}

int __poll_chk(pollfd* all, nfds_t count, int ms, size_t size) {
    return suspendable(__builtin_return_address(0)) == nullptr || size / sizeof *all < count
               ? real_poll_chk(all, count, ms, size)
               : poll_for(all, count, ns_of_ms(ms));
}

int ppoll(pollfd* all, nfds_t count, const timespec* time, const sigset_t* blocked) {
    return suspendable(__builtin_return_address(0)) == nullptr || blocked != nullptr ||
                   !is_good_time(time)
               ? real_ppoll(all, count, time, blocked)
               : poll_for(all, count, ns_of(time));
}

int __ppoll_chk(pollfd* all, nfds_t count, const timespec* time, const sigset_t* blocked,
                size_t size) {
    return suspendable(__builtin_return_address(0)) == nullptr || blocked != nullptr ||
                   !is_good_time(time) || size / sizeof *all < count
               ? real_ppoll_chk(all, count, time, blocked, size)
               : poll_for(all, count, ns_of(time));
}

int select(int count, fd_set* to_read, fd_set* to_write, fd_set* urgent, timeval* time) {
    if (suspendable(__builtin_return_address(0)) == nullptr || count < 0 || count > FD_SETSIZE ||
        (time != nullptr && (time->tv_sec < 0 || time->tv_usec < 0))) {
        return real_select(count, to_read, to_write, urgent, time);
    }
    const std::int64_t ns =
        time == nullptr ? -1
                        : nanoseconds_of({time->tv_sec + time->tv_usec / 1'000'000,
                                          static_cast<long>(time->tv_usec % 1'000'000 * 1000)});
    const std::int64_t begin = os::now_ns();
    const int found = selection(count, to_read, to_write, urgent).wait(ns);
    if (time != nullptr) {  // the time that is left, as Linux says it
        const std::int64_t left = std::max<std::int64_t>(ns - (os::now_ns() - begin), 0);
        time->tv_sec = left / second_ns;
        time->tv_usec = left % second_ns / 1000;
    }
    return found;
}

int pselect(int count, fd_set* to_read, fd_set* to_write, fd_set* urgent, const timespec* time,
            const sigset_t* blocked) {
    if (suspendable(__builtin_return_address(0)) == nullptr || count < 0 || count > FD_SETSIZE ||
        blocked != nullptr || !is_good_time(time)) {
        return real_pselect(count, to_read, to_write, urgent, time, blocked);
    }
    return selection(count, to_read, to_write, urgent).wait(ns_of(time));
}

int epoll_wait(int epoll, epoll_event* events, int most, int ms) {
    if (suspendable(__builtin_return_address(0)) == nullptr) {
        return real_epoll_wait(epoll, events, most, ms);
    }
    return wait_in_epoll(epoll, ns_of_ms(ms),
                         [=] { return real_epoll_wait(epoll, events, most, 0); });
}

int epoll_pwait(int epoll, epoll_event* events, int most, int ms, const sigset_t* blocked) {
    if (suspendable(__builtin_return_address(0)) == nullptr || blocked != nullptr) {
        return real_epoll_pwait(epoll, events, most, ms, blocked);
    }
    return wait_in_epoll(epoll, ns_of_ms(ms),
                         [=] { return real_epoll_wait(epoll, events, most, 0); });
}

int epoll_pwait2(int epoll, epoll_event* events, int most, const timespec* time,
                 const sigset_t* blocked) {
    if (suspendable(__builtin_return_address(0)) == nullptr || blocked != nullptr ||
        !is_good_time(time)) {
        return real_epoll_pwait2.is_there() ? real_epoll_pwait2(epoll, events, most, time, blocked)
                                            : as_posix(-ENOSYS);
    }
    return wait_in_epoll(epoll, ns_of(time),
                         [=] { return real_epoll_wait(epoll, events, most, 0); });
}

}  // extern "C"
