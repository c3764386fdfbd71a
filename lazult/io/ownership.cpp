// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/io/ownership.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "lazult/io/port.hpp"

namespace lazult::io::inner {
namespace {

// What reports and traces say of a wait for the descriptor of a queue. Packed, that is the number
// of the descriptor, the direction, and the kind plus one; without the kind if it is closed.
constexpr unsigned way_shift = 32;
constexpr unsigned kind_shift = 40;

std::uint64_t pack_queue(const void* queue) noexcept {
    const place at = find_queue(queue);
    kind what{};
    const std::uint64_t is = classify(at.fd, what) == 0 ? static_cast<std::uint64_t>(what) + 1 : 0;
    return is << kind_shift | static_cast<std::uint64_t>(at.way) << way_shift |
           static_cast<std::uint32_t>(at.fd);
}

std::string words_of_packed(std::uint64_t packed) {
    const std::uint64_t is = packed >> kind_shift;
    const auto way = static_cast<direction>(packed >> way_shift & 1);
    return "fd " + std::to_string(static_cast<int>(static_cast<std::uint32_t>(packed))) + ", " +
           (is == 0 ? "closed" : name(static_cast<kind>(is - 1))) +
           (way == direction::in ? ", to be readable" : ", to be writable");
}

constexpr sync::object_words queue_words{pack_queue, words_of_packed};
const bool announced [[maybe_unused]] =
    (sync::set_object_words(sync::wait_kind::descriptor, queue_words), true);

int option_of(int fd, int option) noexcept {
    int value = -1;
    socklen_t size = sizeof value;
    ::getsockopt(fd, SOL_SOCKET, option, &value, &size);
    return value;
}

bool is_tcp(int fd) noexcept { return option_of(fd, SO_PROTOCOL) == IPPROTO_TCP; }

void stop_watching(int fd, const descriptor& d) noexcept {
    if (port* const by = d.watcher(); by != nullptr) {
        by->unwatch(fd);
    }
}

}  // namespace

int classify(int fd, kind& what) noexcept {
    const base::errno_guard keeps_errno;
    struct stat about{};
    if (::fstat(fd, &about) != 0) {
        return -base::errno_guard::current();
    }
    switch (about.st_mode & S_IFMT) {
        case S_IFSOCK: what = kind::socket; break;
        case S_IFIFO: what = kind::pipe; break;
        case S_IFREG:
        case S_IFBLK:
        case S_IFDIR:
            what = (::fcntl(fd, F_GETFL) & O_DIRECT) != 0 ? kind::direct : kind::file;
            break;
        default: what = kind::other;
    }
    return 0;
}

int take(int fd) noexcept {
    kind what{};
    if (const int bad = classify(fd, what); bad != 0) {
        return bad;
    }
    const base::errno_guard keeps_errno;
    if (descriptor* const d = find_descriptor(fd); d != nullptr) {
        unlink_end(fd);
        d->adopt(what == kind::socket && is_tcp(fd) ? kind::tcp : what);
    }
    return 0;
}

void take_pipe(int in, int out) noexcept {
    if (take(in) == 0 && take(out) == 0) {
        link_ends(in, out);
    }
}

int adopt(int fd) noexcept {
    descriptor* const d = find_descriptor(fd);
    return d != nullptr && d->is_owned() ? 0 : take(fd);
}

int release(int fd) noexcept {
    descriptor* const d = find_descriptor(fd);
    if (d == nullptr) {
        return -EBADF;
    }
    if (d->is_owned()) {
        stop_watching(fd, *d);
        d->disown();
    }
    return 0;
}

namespace {

// Ends what the number refers to, by end().
//
// A unit may try its call and begin to wait between disown() and end(). After end() no edge of the
// old open file comes any more. So all waiters are woken once more and try again, and the kernel
// tells them that the number is closed. By then the number may have been given away again: units
// that wait for the new descriptor try in vain, and wait again.
template <class SystemCall>
int end_life(int fd, SystemCall end) noexcept {
    const base::errno_guard keeps_errno;
    descriptor* const d = find_descriptor(fd);
    if (d != nullptr) {
        stop_watching(fd, *d);
        d->disown();
    }
    const int result = end();
    const int outcome = result >= 0 ? result : -base::errno_guard::current();
    if (d != nullptr) {
        d->have_all_try_again();
    }
    return outcome;
}

bool is_open(int fd) noexcept {
    const base::errno_guard keeps_errno;
    return ::fcntl(fd, F_GETFD) >= 0;
}

}  // namespace

int is_nonblocking(int fd) noexcept {
    const base::errno_guard keeps_errno;
    int mode = 0;
    const auto read_mode = [&] { mode = ::fcntl(fd, F_GETFL); };
    descriptor* const d = find_descriptor(fd);
    if (d == nullptr) {
        read_mode();
    } else if (d->has_moment_during(read_mode) && mode >= 0) {
        return 0;  // else there would be no such moment
    }
    return mode < 0 ? -base::errno_guard::current() : (mode & O_NONBLOCK) != 0;
}

int close(int fd) noexcept {
    return end_life(fd, [fd] { return ::close(fd); });
}

int duplicate(int from, int to, int flags) noexcept {
    if (!is_open(from)) {
        return -EBADF;  // `to` stays open
    }
    if (from == to) {
        return to;
    }
    if ((flags & ~O_CLOEXEC) != 0 || to < 0) {
        return to < 0 ? -EBADF : -EINVAL;
    }
    return end_life(to, [=] { return ::dup3(from, to, flags); });
}

}  // namespace lazult::io::inner
