// SPDX-License-Identifier: BSD-3-Clause
// Sockets, and waits for several descriptors.
#include "tests/doors/posix/harness.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <string>
#include <thread>
#include <vector>

extern "C" {
ssize_t __recv_chk(int fd, void* into, size_t bytes, size_t size, int flags);
ssize_t __recvfrom_chk(int fd, void* into, size_t bytes, size_t room, int flags, sockaddr* peer,
                       socklen_t* size);
int __poll_chk(pollfd* all, nfds_t count, int ms, size_t size);
int __ppoll_chk(pollfd* all, nfds_t count, const timespec* time, const sigset_t* blocked,
                size_t size);
}

namespace lazult {
namespace {

using lazult::testing::form;
using lazult::testing::name_of;
using lazult::testing::posix_test;

struct socket_pair {
    explicit socket_pair(int type = SOCK_STREAM) {
        EXPECT_EQ(::socketpair(AF_UNIX, type, 0, ends), 0);
    }
    ~socket_pair() {
        ::close(ends[0]);
        ::close(ends[1]);
    }
    socket_pair(const socket_pair&) = delete;
    socket_pair& operator=(const socket_pair&) = delete;
    int ends[2];
};

using receive = form<ssize_t(int fd, char* into)>;
class posix_receives : public posix_test, public ::testing::WithParamInterface<receive> {};

TEST_P(posix_receives, suspend_until_there_is_a_message) {
    socket_pair both;
    char got = 0;
    suspends([&] { EXPECT_EQ(GetParam().call(both.ends[0], &got), 1); },
             [&] { EXPECT_EQ(::send(both.ends[1], "m", 1, 0), 1); });
    EXPECT_EQ(got, 'm');
}

msghdr message_of(iovec& piece) {
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    return message;
}

INSTANTIATE_TEST_SUITE_P(
    all, posix_receives,
    ::testing::Values(
        receive{"recv", [](int fd, char* into) { return ::recv(fd, into, 1, 0); }},
        receive{"recv_chk", [](int fd, char* into) { return ::__recv_chk(fd, into, 1, 1, 0); }},
        receive{"recvfrom",
                [](int fd, char* into) { return ::recvfrom(fd, into, 1, 0, nullptr, nullptr); }},
        receive{"recvfrom_chk",
                [](int fd, char* into) {
                    return ::__recvfrom_chk(fd, into, 1, 1, 0, nullptr, nullptr);
                }},
        receive{"recvmsg",
                [](int fd, char* into) {
                    iovec piece{into, 1};
                    msghdr message = message_of(piece);
                    return ::recvmsg(fd, &message, 0);
                }}),
    name_of);

using transmit = form<ssize_t(int fd, std::string& data)>;
class posix_sends : public posix_test, public ::testing::WithParamInterface<transmit> {};

TEST_P(posix_sends, suspend_until_there_is_room) {
    socket_pair both;
    std::string data(3'000'000, 's');
    std::size_t got = 0;
    suspends(
        [&] { EXPECT_EQ(GetParam().call(both.ends[0], data), static_cast<ssize_t>(data.size())); },
        [&] {
            char buffer[60'000];
            while (got < data.size()) {
                const ssize_t bytes = ::recv(both.ends[1], buffer, sizeof buffer, 0);
                ASSERT_GT(bytes, 0);
                got += static_cast<std::size_t>(bytes);
            }
        });
}

INSTANTIATE_TEST_SUITE_P(all, posix_sends,
                         ::testing::Values(transmit{"send",
                                                    [](int fd, std::string& data) {
                                                        return ::send(fd, data.data(), data.size(),
                                                                      0);
                                                    }},
                                           transmit{"sendto",
                                                    [](int fd, std::string& data) {
                                                        return ::sendto(fd, data.data(),
                                                                        data.size(), 0, nullptr, 0);
                                                    }},
                                           transmit{"sendmsg",
                                                    [](int fd, std::string& data) {
                                                        iovec piece{data.data(), data.size()};
                                                        msghdr message = message_of(piece);
                                                        return ::sendmsg(fd, &message, 0);
                                                    }}),
                         name_of);

struct listener {
    listener() : fd(::socket(AF_INET, SOCK_STREAM, 0)) {
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        EXPECT_EQ(::bind(fd, generic(), sizeof address), 0);
        EXPECT_EQ(::listen(fd, 1000), 0);
        EXPECT_EQ(::getsockname(fd, generic(), &size), 0);
    }
    ~listener() { ::close(fd); }
    listener(const listener&) = delete;
    listener& operator=(const listener&) = delete;
    sockaddr* generic() { return reinterpret_cast<sockaddr*>(&address); }

    int fd;
    sockaddr_in address{};
};

using acceptance = form<int(int fd)>;
class posix_accepts : public posix_test, public ::testing::WithParamInterface<acceptance> {};

TEST_P(posix_accepts, suspend_until_there_is_a_connection) {
    listener at;
    suspends(
        [&] {
            const int fd = GetParam().call(at.fd);
            EXPECT_GE(fd, 0);
            char c = 0;
            EXPECT_EQ(::read(fd, &c, 1), 1);
            EXPECT_EQ(::close(fd), 0);
        },
        [&] {
            const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
            EXPECT_EQ(::connect(fd, at.generic(), sizeof at.address), 0);
            EXPECT_EQ(::write(fd, "x", 1), 1);
            EXPECT_EQ(::close(fd), 0);
        });
}

INSTANTIATE_TEST_SUITE_P(
    all, posix_accepts,
    ::testing::Values(acceptance{"accept", [](int fd) { return ::accept(fd, nullptr, nullptr); }},
                      acceptance{
                          "accept4",
                          [](int fd) { return ::accept4(fd, nullptr, nullptr, SOCK_CLOEXEC); }}),
    name_of);

class posix_sockets : public posix_test {};

// A local socket with a full queue makes connect() wait.
TEST_F(posix_sockets, connect_suspends) {
    const int at = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_storage address{};
    address.ss_family = AF_UNIX;
    socklen_t size = sizeof(sa_family_t);
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    ASSERT_EQ(::bind(at, generic, size), 0);  // the kernel chooses a name
    ASSERT_EQ(::listen(at, 0), 0);
    size = sizeof address;
    ASSERT_EQ(::getsockname(at, generic, &size), 0);
    const int first = ::socket(AF_UNIX, SOCK_STREAM, 0);
    const int second = ::socket(AF_UNIX, SOCK_STREAM, 0);
    ASSERT_EQ(::connect(first, generic, size), 0);
    suspends([&] { EXPECT_EQ(::connect(second, generic, size), 0); },
             [&] { ::close(::accept(at, nullptr, nullptr)); });
    for (const int fd : {at, first, second}) {
        ::close(fd);
    }
}

// Each acceptor sets the socket in nonblocking mode for moments. No other caller must notice that.
TEST_F(posix_sockets, many_accept_on_one_socket) {
    start(2);
    listener at;
    constexpr int connections = 600;
    std::atomic<int> accepted{0};
    std::atomic<int> bad{0};
    const auto serve = [&] {
        while (accepted < connections) {
            const int fd = ::accept(at.fd, nullptr, nullptr);
            if (fd < 0) {
                ++bad;
                return;
            }
            ++accepted;
            ::close(fd);
        }
    };
    const auto connect_once = [&] {
        const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
        bad += ::connect(fd, at.generic(), sizeof at.address) != 0;
        ::close(fd);
    };
    std::vector<lazult::thread> all;
    for (int i = 0; i < 6; ++i) {
        all.emplace_back(serve);
    }
    std::thread other(serve);
    lazult::thread([&] {
        for (int i = 0; i < connections; ++i) {
            connect_once();
        }
        while (accepted < connections && bad == 0) {
            lazult::this_thread::yield();
        }
        for (int i = 0; i < 8; ++i) {  // the last ones wait in vain
            connect_once();
        }
    }).join();
    for (lazult::thread& each : all) {
        each.join();
    }
    other.join();
    EXPECT_EQ(bad, 0);
    EXPECT_GE(accepted, connections);
}

// After a ULT has waited, an OS thread's accept tries again when it finds nobody. But not for ever.
TEST_F(posix_sockets, a_limit_of_the_socket_ends_the_accept_of_a_thread) {
    start(1);
    lazult::thread([] {
        testing::two_ends pipe;
        pollfd one{pipe.in(), POLLIN, 0};
        EXPECT_EQ(::poll(&one, 1, 1), 0);
        char c = 0;
        EXPECT_EQ(::write(pipe.out(), "x", 1), 1);
        EXPECT_EQ(::read(pipe.in(), &c, 1), 1);
    }).join();
    listener at;
    const timeval limit{0, 50'000};
    ASSERT_EQ(::setsockopt(at.fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit), 0);
    std::thread([&at] {
        const double begin = testing::seconds_now();
        EXPECT_EQ(::accept(at.fd, nullptr, nullptr), -1);
        EXPECT_EQ(errno, EAGAIN);
        EXPECT_GE(testing::seconds_now() - begin, 0.04);
    }).join();
}

TEST_F(posix_sockets, select_says_which_time_is_left) {
    start(1);
    lazult::thread([] {
        testing::two_ends pipe;
        fd_set set;
        FD_ZERO(&set);
        FD_SET(pipe.in(), &set);
        timeval time{0, 20'000};
        EXPECT_EQ(::select(pipe.in() + 1, &set, nullptr, nullptr, &time), 0);
        EXPECT_EQ(time.tv_sec * 1'000'000 + time.tv_usec, 0);
        EXPECT_EQ(::write(pipe.out(), "x", 1), 1);
        FD_SET(pipe.in(), &set);
        time = {50, 0};
        EXPECT_EQ(::select(pipe.in() + 1, &set, nullptr, nullptr, &time), 1);
        EXPECT_GE(time.tv_sec, 20);
    }).join();
}

TEST_F(posix_sockets, a_connection_that_nobody_takes_is_refused) {
    start(1);
    lazult::thread([] {
        sockaddr_in address{};
        {
            listener gone;
            address = gone.address;
        }
        const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
        EXPECT_EQ(::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), -1);
        EXPECT_EQ(errno, ECONNREFUSED);
        ::close(fd);
    }).join();
}

TEST_F(posix_sockets, the_limit_of_a_socket_ends_a_read) {
    socket_pair both;
    lets_others_run([&] {
        const timeval limit{0, 20'000};
        EXPECT_EQ(::setsockopt(both.ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit), 0);
        char c = 0;
        const double begin = testing::seconds_now();
        EXPECT_EQ(::recv(both.ends[0], &c, 1, 0), -1);
        EXPECT_EQ(errno, EAGAIN);
        EXPECT_GE(testing::seconds_now() - begin, 0.019);
    });
}

TEST_F(posix_sockets, a_read_without_waiting_does_not_wait) {
    start(1);
    lazult::thread([] {
        socket_pair both;
        char c = 0;
        EXPECT_EQ(::recv(both.ends[0], &c, 1, MSG_DONTWAIT), -1);
        EXPECT_EQ(errno, EAGAIN);
    }).join();
}

// Waits for several descriptors: returns how many of them are ready; a negative time is none.
using joint = form<int(int fd, int ms)>;
class posix_polls : public posix_test, public ::testing::WithParamInterface<joint> {};

TEST_P(posix_polls, suspend_until_one_is_ready) {
    testing::two_ends pipe;
    suspends([&] { EXPECT_EQ(GetParam().call(pipe.in(), -1), 1); },
             [&] { EXPECT_EQ(::write(pipe.out(), "x", 1), 1); });
}

TEST_P(posix_polls, end_at_their_time) {
    testing::two_ends pipe;
    lets_others_run([&] {
        const double begin = testing::seconds_now();
        EXPECT_EQ(GetParam().call(pipe.in(), 20), 0);
        EXPECT_GE(testing::seconds_now() - begin, 0.019);
    });
}

TEST_P(posix_polls, do_not_wait_without_time) {
    start(1);
    lazult::thread([] {
        testing::two_ends pipe;
        EXPECT_EQ(GetParam().call(pipe.in(), 0), 0);
        EXPECT_EQ(::write(pipe.out(), "x", 1), 1);
        EXPECT_EQ(GetParam().call(pipe.in(), 0), 1);
        EXPECT_EQ(GetParam().call(pipe.in(), 1000), 1);
    }).join();
}

timespec* in(int ms, timespec& into) {
    into = {ms / 1000, ms % 1000 * 1'000'000};
    return ms < 0 ? nullptr : &into;
}

template <class Wait>
int in_epoll(int fd, Wait wait) {
    const int epoll = ::epoll_create1(0);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    EXPECT_EQ(::epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event), 0);
    event.data.fd = -1;
    const int found = wait(epoll, &event);
    if (found == 1) {
        EXPECT_EQ(event.data.fd, fd);
    }
    ::close(epoll);
    return found;
}

INSTANTIATE_TEST_SUITE_P(
    all, posix_polls,
    ::testing::Values(joint{"poll",
                            [](int fd, int ms) {
                                pollfd one{fd, POLLIN, 0};
                                return ::poll(&one, 1, ms);
                            }},
                      joint{"poll_chk",
                            [](int fd, int ms) {
                                pollfd one{fd, POLLIN, 0};
                                return ::__poll_chk(&one, 1, ms, sizeof one);
                            }},
                      joint{"ppoll",
                            [](int fd, int ms) {
                                pollfd one{fd, POLLIN, 0};
                                timespec time{};
                                return ::ppoll(&one, 1, in(ms, time), nullptr);
                            }},
                      joint{"ppoll_chk",
                            [](int fd, int ms) {
                                pollfd one{fd, POLLIN, 0};
                                timespec time{};
                                return ::__ppoll_chk(&one, 1, in(ms, time), nullptr, sizeof one);
                            }},
                      joint{"select",
                            [](int fd, int ms) {
                                fd_set set;
                                FD_ZERO(&set);
                                FD_SET(fd, &set);
                                timeval time{ms / 1000, ms % 1000 * 1000};
                                const int found = ::select(fd + 1, &set, nullptr, nullptr,
                                                           ms < 0 ? nullptr : &time);
                                EXPECT_EQ(FD_ISSET(fd, &set), found == 1);
                                return found;
                            }},
                      joint{"pselect",
                            [](int fd, int ms) {
                                fd_set set;
                                FD_ZERO(&set);
                                FD_SET(fd, &set);
                                timespec time{};
                                const int found = ::pselect(fd + 1, &set, nullptr, nullptr,
                                                            in(ms, time), nullptr);
                                EXPECT_EQ(FD_ISSET(fd, &set), found == 1);
                                return found;
                            }},
                      joint{"epoll_wait",
                            [](int fd, int ms) {
                                return in_epoll(fd, [=](int epoll, epoll_event* into) {
                                    return ::epoll_wait(epoll, into, 1, ms);
                                });
                            }},
                      joint{"epoll_pwait",
                            [](int fd, int ms) {
                                return in_epoll(fd, [=](int epoll, epoll_event* into) {
                                    return ::epoll_pwait(epoll, into, 1, ms, nullptr);
                                });
                            }},
                      joint{"epoll_pwait2",
                            [](int fd, int ms) {
                                return in_epoll(fd, [=](int epoll, epoll_event* into) {
                                    timespec time{};
                                    return ::epoll_pwait2(epoll, into, 1, in(ms, time), nullptr);
                                });
                            }}),
    name_of);

TEST_F(posix_sockets, select_refuses_a_closed_descriptor) {
    start(1);
    lazult::thread([] {
        fd_set set;
        FD_ZERO(&set);
        FD_SET(1000, &set);
        EXPECT_EQ(::select(1001, &set, nullptr, nullptr, nullptr), -1);
        EXPECT_EQ(errno, EBADF);
    }).join();
}

}  // namespace
}  // namespace lazult
