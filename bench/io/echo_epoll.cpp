// SPDX-License-Identifier: BSD-3-Clause
// An echo server as one would write it by hand: threads with an epoll set each, among which the
// main thread deals out the connections. Edge-triggered, so that a descriptor is registered once.
#include "bench/io/server.hpp"

#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <string>
#include <thread>
#include <vector>

namespace lazult::bench {
namespace {

constexpr std::uint32_t all_events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;

struct connection {
    int socket;
    std::string unsent;  // what a short write has left
};

class echo_loop {
public:
    // By the main thread.
    void add(int socket) const {
        epoll_event event{};
        event.events = all_events;
        event.data.ptr = new connection{socket, {}};
        must(epoll_ctl(set_, EPOLL_CTL_ADD, socket, &event), "epoll_ctl");
    }

    [[noreturn]] void run() {
        std::array<epoll_event, 512> events;
        for (;;) {
            const int count = epoll_wait(set_, events.data(), static_cast<int>(events.size()), -1);
            for (int i = 0; i < count; ++i) {
                handle(events[static_cast<std::size_t>(i)]);
            }
        }
    }

private:
    static void handle(const epoll_event& event) {
        auto& peer = *static_cast<connection*>(event.data.ptr);
        const bool ends = (event.events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
        if (!flush(peer) || !echo(peer, ends)) {
            close(peer.socket);
            delete &peer;
        }
    }

    // Returns false when the connection has ended. A short read has emptied the socket, and what
    // comes later is a new edge; but the end of the stream may have come with the last bytes.
    static bool echo(connection& from, bool until_end) {
        char buffer[buffer_bytes];
        while (from.unsent.empty()) {
            const ssize_t got = read(from.socket, buffer, sizeof(buffer));
            if (got <= 0) {
                return got < 0 && errno == EAGAIN;
            }
            if (!send_back(from, buffer, static_cast<std::size_t>(got))) {
                return false;
            }
            if (static_cast<std::size_t>(got) < sizeof(buffer) && !until_end) {
                return true;
            }
        }
        return true;
    }

    static bool send_back(connection& to, const char* data, std::size_t bytes) {
        const ssize_t sent = send(to.socket, data, bytes, MSG_NOSIGNAL);
        if (sent < 0 && errno != EAGAIN) {
            return false;
        }
        const std::size_t done = sent < 0 ? 0 : static_cast<std::size_t>(sent);
        to.unsent.append(data + done, bytes - done);
        return true;
    }

    static bool flush(connection& to) {
        if (to.unsent.empty()) {
            return true;
        }
        const std::string rest = std::exchange(to.unsent, {});
        return send_back(to, rest.data(), rest.size());
    }

    const int set_ = must(epoll_create1(EPOLL_CLOEXEC), "epoll_create1");
};

[[noreturn]] void serve(const server_options& given) {
    raise_descriptor_limit();
    std::vector<echo_loop> loops(static_cast<std::size_t>(given.threads));
    std::vector<std::thread> threads;
    for (echo_loop& each : loops) {
        threads.emplace_back([&each] { each.run(); });
    }
    const int listener = listen_at(given.port);
    for (std::size_t next = 0;; next = (next + 1) % loops.size()) {
        const int socket = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
        send_at_once(must(socket, "accept4"));
        loops[next].add(socket);
    }
}

}  // namespace
}  // namespace lazult::bench

int main(int argc, char** argv) {
    CLI::App program("An echo server over epoll.");
    lazult::bench::server_options given;
    lazult::bench::add_options(program, given);
    CLI11_PARSE(program, argc, argv);
    lazult::bench::serve(given);
}
