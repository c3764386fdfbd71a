// SPDX-License-Identifier: BSD-3-Clause
// One more execution stream for one kind of work, with a pool of its own: what is put there runs
// there.
#include <lazult/lazult.hpp>

#include <cstdio>

int main() {
    lazult::runtime runtime({.streams = 2, .stack_size = 32 << 10});
    lazult::pool requests(lazult::pool_kind::priority);
    lazult::execution_stream server(lazult::scheduler_kind::basic, {&requests});

    std::atomic<int> served{0};
    std::vector<lazult::thread> clients;
    for (int i = 0; i < 100; ++i) {
        const lazult::thread_attributes how{.where = &requests, .priority = i % 2 == 0 ? 0 : 5};
        clients.emplace_back(
            how, [&] { served += lazult::this_thread::stream_rank() == server.rank(); });
    }
    lazult::join_many(clients);
    server.join();
    std::printf("%d served by the stream of rank 2\n", served.load());
    return served == 100 ? 0 : 1;
}
