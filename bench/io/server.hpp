// SPDX-License-Identifier: BSD-3-Clause
// What the echo servers share: their options, and the socket at which they listen.
#pragma once

#include "bench/io/system.hpp"

#include <CLI/CLI.hpp>

#include <fmt/core.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cstdint>
#include <cstdio>

namespace lazult::bench {

inline constexpr int backlog = 4096;
inline constexpr std::size_t buffer_bytes = 4096;

inline sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

inline void send_at_once(int socket) {
    const int on = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

// Listens at a port, 0 meaning any, and prints which it is for the program that started this one.
inline int listen_at(std::uint16_t port) {
    const int listener = must(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
    const int on = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    sockaddr_in address = loopback(port);
    socklen_t bytes = sizeof(address);
    must(bind(listener, reinterpret_cast<sockaddr*>(&address), bytes), "bind");
    must(listen(listener, backlog), "listen");
    must(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &bytes), "getsockname");
    fmt::print("port {}\n", ntohs(address.sin_port));
    std::fflush(stdout);
    return listener;
}

struct server_options {
    std::uint16_t port = 0;
    int threads = 2;
};

inline void add_options(CLI::App& program, server_options& given) {
    program.add_option("--port", given.port, "where to listen; 0: any, which is printed");
    program.add_option("--threads", given.threads, "threads, or streams (2)")
        ->check(CLI::Range(1, 1024));
}

}  // namespace lazult::bench
