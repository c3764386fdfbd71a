// SPDX-License-Identifier: BSD-3-Clause
// An echo server with a ULT for each connection, which reads and writes as if it might block: by
// lazult::io, or by the calls of the C library, which suspend ULTs under `lazult run --posix`.
#include "bench/io/server.hpp"

#include <lazult/io.hpp>
#include <lazult/runtime.hpp>
#include <lazult/thread.hpp>

#include <unistd.h>

namespace lazult::bench {
namespace {

constexpr std::size_t stack_bytes = 16 * 1024;

struct library_calls {
    static void listens(int listener) { io::adopt(listener); }
    static int accept(int listener) {
        const io::result accepted = io::accept(listener, nullptr, nullptr);
        if (!accepted) {
            give_up("accept", accepted.error_number());
        }
        return accepted.descriptor();
    }
    // Returns false at the end.
    static bool echo(int socket, char (&buffer)[buffer_bytes]) {
        const io::result got = io::read(socket, buffer, sizeof(buffer));
        return got && got.bytes() != 0 && io::write_all(socket, buffer, got.bytes());
    }
    static void close(int socket) { io::close(socket); }
};

struct plain_calls {
    static void listens(int) {}
    static int accept(int listener) { return must(::accept(listener, nullptr, nullptr), "accept"); }
    static bool echo(int socket, char (&buffer)[buffer_bytes]) {
        const ssize_t got = ::recv(socket, buffer, sizeof(buffer), 0);
        return got > 0 &&
               ::send(socket, buffer, static_cast<std::size_t>(got), MSG_NOSIGNAL) == got;
    }
    static void close(int socket) { ::close(socket); }
};

template <class Calls>
void serve_connection(int socket) {
    char buffer[buffer_bytes];
    while (Calls::echo(socket, buffer)) {
    }
    Calls::close(socket);
}

template <class Calls>
[[noreturn]] void serve(const server_options& given) {
    raise_descriptor_limit();
    const runtime running({.streams = given.threads});
    const int listener = listen_at(given.port);
    Calls::listens(listener);
    const thread_attributes how{.stack_size = stack_bytes};
    for (;;) {
        const int socket = Calls::accept(listener);
        send_at_once(socket);
        thread(how, [socket] { serve_connection<Calls>(socket); }).detach();
    }
}

}  // namespace
}  // namespace lazult::bench

int main(int argc, char** argv) {
    CLI::App program("An echo server of ULTs.");
    lazult::bench::server_options given;
    lazult::bench::add_options(program, given);
    bool is_plain = false;
    program.add_flag("--plain", is_plain, "by recv and send, for lazult run --posix");
    CLI11_PARSE(program, argc, argv);
    if (is_plain) {
        lazult::bench::serve<lazult::bench::plain_calls>(given);
    }
    lazult::bench::serve<lazult::bench::library_calls>(given);
}
