// SPDX-License-Identifier: BSD-3-Clause
// A window that short messages have cut into small blocks to its end still has space for long ones.
#include "harness.hpp"

#include <mpi.h>

#include <vector>

using namespace lazult;
using namespace lazult::testing;

int main() {
    concert::session world;
    std::uint64_t received = 0;
    std::uint64_t bytes = 0;
    const concert::span_handler<std::byte> count("count",
                                                 [&](int, std::span<const std::byte> items) {
                                                     ++received;
                                                     bytes += items.size();
                                                 });
    with_each_queue(
        [&](concert::queue& queue, const configuration& how) {
            if (!how.is_pull() || how.aggregates()) {
                return;
            }
            received = bytes = 0;
            const std::vector<std::byte> data(8192);
            const int to = (world.rank() + 1) % world.size();
            constexpr unsigned short_ones = 1200;
            constexpr unsigned long_ones = 10;
            for (unsigned i = 0; i < short_ones; ++i) {
                count.send(queue, to, std::span(data).first(16));
            }
            MPI_Barrier(MPI_COMM_WORLD);
            CHECK(queue.counters().backlogged > 0);
            world.quiesce();
            for (unsigned i = 0; i < long_ones; ++i) {
                count.send(queue, to, data);
            }
            world.quiesce();
            CHECK(received == short_ones + long_ones);
            CHECK(bytes == short_ones * 16 + long_ones * data.size());
        },
        [](concert_options& options) {
            options.pool_bytes = std::size_t{64} << 10;
            options.max_message_bytes = 8192;
        });
    passed("full_pool");
    return 0;
}
