// SPDX-License-Identifier: BSD-3-Clause
// An echo server over lazult::io: a ULT for each connection, which reads and writes as if it might
// block.
#include "bench/io/server.hpp"

#include <lazult/io.hpp>
#include <lazult/runtime.hpp>
#include <lazult/thread.hpp>

namespace lazult::bench {
namespace {

constexpr std::size_t stack_bytes = 16 * 1024;

void serve_connection(int socket) {
    char buffer[buffer_bytes];
    for (;;) {
        const io::result got = io::read(socket, buffer, sizeof(buffer));
        if (!got || got.bytes() == 0 || !io::write_all(socket, buffer, got.bytes())) {
            break;
        }
    }
    io::close(socket);
}

[[noreturn]] void serve(const server_options& given) {
    raise_descriptor_limit();
    const runtime running({.streams = given.threads});
    const int listener = listen_at(given.port);
    io::adopt(listener);
    const thread_attributes how{.stack_size = stack_bytes};
    for (;;) {
        const io::result accepted = io::accept(listener, nullptr, nullptr);
        if (!accepted) {
            give_up("accept", accepted.error_number());
        }
        const int socket = accepted.descriptor();
        send_at_once(socket);
        thread(how, [socket] { serve_connection(socket); }).detach();
    }
}

}  // namespace
}  // namespace lazult::bench

int main(int argc, char** argv) {
    CLI::App program("An echo server over lazult::io.");
    lazult::bench::server_options given;
    lazult::bench::add_options(program, given);
    CLI11_PARSE(program, argc, argv);
    lazult::bench::serve(given);
}
