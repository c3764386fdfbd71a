// SPDX-License-Identifier: BSD-3-Clause
// What the tests of this floor share: pipes and sockets, of lazult::io or of the program, and
// processor time.
#pragma once

#include "lazult/probe/probe.hpp"

#include <lazult/io.hpp>
#include <lazult/lazult.hpp>

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

namespace lazult::testing {

using namespace std::chrono_literals;

inline constexpr const char* closing_beside_readers =
    "ThreadSanitizer takes a close beside a read of the same descriptor for a race";

// The side that makes a descriptor and closes it.
enum class owner { program, library };

inline int checked(int fd) {
    EXPECT_GE(fd, 0) << std::strerror(errno);
    return fd;
}

inline void close_for(owner of, int fd) {
    if (fd < 0) {
        return;
    }
    if (of == owner::library) {
        EXPECT_TRUE(io::close(fd).ok());
    } else {
        EXPECT_EQ(::close(fd), 0);
    }
}

// Two ends of a pipe, a socket pair or a connection.
struct ends {
    explicit ends(owner whose) noexcept : of(whose) {}
    ends(ends&& from) noexcept
        : of(from.of), in(std::exchange(from.in, -1)), out(std::exchange(from.out, -1)) {}
    ends& operator=(ends&&) = delete;
    ~ends() {
        close_in();
        close_out();
    }
    void close_in() { close_for(of, std::exchange(in, -1)); }
    void close_out() { close_for(of, std::exchange(out, -1)); }
    void adopt() const {
        if (of == owner::library) {
            EXPECT_TRUE(io::adopt(in).ok());
            EXPECT_TRUE(io::adopt(out).ok());
        }
    }

    owner of;
    int in = -1;  // reads what is written to out
    int out = -1;
};

inline ends make_pipe(owner of, int flags = 0) {
    ends made(of);
    int both[2];
    if (of == owner::library) {
        EXPECT_TRUE(io::pipe(both, flags).ok());
    } else {
        EXPECT_EQ(::pipe2(both, flags), 0);
    }
    made.in = both[0];
    made.out = both[1];
    return made;
}

inline ends make_socket_pair(owner of, int type = SOCK_STREAM) {
    ends made(of);
    int both[2];
    EXPECT_EQ(::socketpair(AF_UNIX, type, 0, both), 0);
    made.in = both[0];
    made.out = both[1];
    made.adopt();
    return made;
}

inline sockaddr_in loopback(int port = 0) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    return address;
}

inline const sockaddr* generic(const sockaddr_in& address) {
    return reinterpret_cast<const sockaddr*>(&address);
}

// A socket that listens on the loopback, and where.
struct listener {
    explicit listener(owner whose, int backlog = 128) : of(whose) {
        fd = of == owner::library ? io::socket(AF_INET, SOCK_STREAM, 0).descriptor()
                                  : checked(::socket(AF_INET, SOCK_STREAM, 0));
        sockaddr_in wanted = loopback();
        EXPECT_EQ(::bind(fd, generic(wanted), sizeof wanted), 0);
        EXPECT_EQ(::listen(fd, backlog), 0);
        socklen_t size = sizeof address;
        EXPECT_EQ(::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size), 0);
    }
    ~listener() { close(); }
    listener(const listener&) = delete;
    listener& operator=(const listener&) = delete;
    void close() { close_for(of, std::exchange(fd, -1)); }

    owner of;
    int fd = -1;
    sockaddr_in address{};
};

inline ends make_connection(owner of) {
    listener at(of);
    ends made(of);
    made.out = checked(::socket(AF_INET, SOCK_STREAM, 0));
    EXPECT_EQ(::connect(made.out, generic(at.address), sizeof at.address), 0);
    made.in = checked(::accept(at.fd, nullptr, nullptr));
    const int on = 1;
    ::setsockopt(made.out, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    made.adopt();
    return made;
}

// Bytes that depend on their place.
inline std::string pattern(std::size_t bytes, unsigned seed = 1) {
    std::string made(bytes, '\0');
    std::uint32_t state = seed * 2654435761U + 1;
    for (char& each : made) {
        state = state * 1664525U + 1013904223U;
        each = static_cast<char>(state >> 24);
    }
    return made;
}

// Runs f in a ULT, and waits for its end.
template <class F>
void in_ult(F f) {
    lazult::thread(std::move(f)).join();
}

inline double cpu_seconds() {
    timespec used{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / 1e9;
}

inline double seconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace lazult::testing
