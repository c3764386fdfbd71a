// SPDX-License-Identifier: BSD-3-Clause
// An echo server over bare io_uring: threads with a ring each, one receive or send under way for
// each connection. It says whether sockets are better served by a ring than by readiness.
#include "bench/io/ring.hpp"
#include "bench/io/server.hpp"

#include <unistd.h>

#include <array>
#include <thread>
#include <vector>

namespace lazult::bench {
namespace {

constexpr unsigned ring_entries = 4096;

struct connection {
    int socket;
    unsigned sent = 0;
    unsigned received = 0;  // 0: a receive is under way, else a send
    std::array<char, buffer_bytes> buffer;
};

class echo_ring {
public:
    // By the main thread: a ring takes entries from its own thread alone.
    void add(int socket) const {
        must(static_cast<int>(write(given_[1], &socket, sizeof(socket))), "write");
    }

    [[noreturn]] void run() {
        ring own(ring_entries);
        ring_ = &own;
        await_connection();
        for (;;) {
            own.turn([this](void* data, int result) {
                if (data == nullptr) {
                    accept_given();
                } else {
                    handle(*static_cast<connection*>(data), result);
                }
            });
        }
    }

private:
    void await_connection() {
        io_uring_sqe& entry = ring_->next_entry();
        io_uring_prep_read(&entry, given_[0], &accepted_, sizeof(accepted_), 0);
        io_uring_sqe_set_data(&entry, nullptr);
    }

    void accept_given() {
        auto* added = new connection;
        added->socket = accepted_;
        receive(*added);
        await_connection();
    }

    void receive(connection& from) {
        from.received = from.sent = 0;
        io_uring_sqe& entry = ring_->next_entry();
        io_uring_prep_recv(&entry, from.socket, from.buffer.data(), from.buffer.size(), 0);
        io_uring_sqe_set_data(&entry, &from);
    }

    void send_rest(connection& to) {
        io_uring_sqe& entry = ring_->next_entry();
        io_uring_prep_send(&entry, to.socket, to.buffer.data() + to.sent, to.received - to.sent,
                           MSG_NOSIGNAL);
        io_uring_sqe_set_data(&entry, &to);
    }

    void handle(connection& peer, int result) {
        if (result <= 0) {
            close(peer.socket);
            delete &peer;
        } else if (peer.received == 0) {
            peer.received = static_cast<unsigned>(result);
            send_rest(peer);
        } else {
            peer.sent += static_cast<unsigned>(result);
            peer.sent < peer.received ? send_rest(peer) : receive(peer);
        }
    }

    const std::array<int, 2> given_ = [] {
        std::array<int, 2> ends{};
        must(pipe(ends.data()), "pipe");
        return ends;
    }();
    ring* ring_ = nullptr;
    int accepted_ = -1;
};

[[noreturn]] void serve(const server_options& given) {
    raise_descriptor_limit();
    std::vector<echo_ring> rings(static_cast<std::size_t>(given.threads));
    std::vector<std::thread> threads;
    for (echo_ring& each : rings) {
        threads.emplace_back([&each] { each.run(); });
    }
    const int listener = listen_at(given.port);
    for (std::size_t next = 0;; next = (next + 1) % rings.size()) {
        const int socket = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
        send_at_once(must(socket, "accept4"));
        rings[next].add(socket);
    }
}

}  // namespace
}  // namespace lazult::bench

int main(int argc, char** argv) {
    CLI::App program("An echo server over io_uring.");
    lazult::bench::server_options given;
    lazult::bench::add_options(program, given);
    CLI11_PARSE(program, argc, argv);
    lazult::bench::serve(given);
}
