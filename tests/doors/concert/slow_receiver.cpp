// SPDX-License-Identifier: BSD-3-Clause
// A receiver that does not extract until its senders are done. Pull: they finish, as their buffers
// grow, and beyond the window in ordinary memory. Push: they wait for it. Auto: they fill their
// shares of its ring, and then do as for pull.
#include "harness.hpp"

#include <mpi.h>

using namespace lazult;
using namespace lazult::testing;

namespace {

struct state {
    std::vector<std::uint64_t> expected;
    std::uint64_t received = 0;
};

using numbers = concert::span_handler<std::uint64_t>;

// Each 900 bytes long, and beginning with its number.
void send_to_rank_0(const concert::session& world, const numbers& count, concert::queue& queue,
                    std::uint64_t messages) {
    std::vector<std::uint64_t> buffer(112);
    for (; world.rank() != 0 && buffer[0] < messages; ++buffer[0]) {
        count.send(queue, 0, buffer);
    }
}

void pull(concert::session& world, const numbers& count, state& here, std::size_t pool_bytes,
          bool fits) {
    with_each_queue(
        [&](concert::queue& queue, const configuration& how) {
            if (!how.is_pull()) {
                return;
            }
            here = {};
            here.expected.resize(static_cast<std::size_t>(world.size()));
            const std::uint64_t messages = how.is_far() ? 200 : 20'000;
            send_to_rank_0(world, count, queue, messages);
            // Nobody has extracted, and everybody comes here: the receiver held up no sender.
            MPI_Barrier(MPI_COMM_WORLD);
            CHECK(here.received == 0);
            const concert_counters counted = queue.counters();
            // Auto: such a packet went by pull. Alone, these messages are too long for push.
            const bool may_push = how.options.scheme == CONCERT_AUTO && how.aggregates();
            CHECK((counted.waits != 0) == (may_push && world.rank() != 0));
            CHECK(world.rank() == 0 || counted.sent == messages);
            if (fits) {
                CHECK(counted.backlogged == 0);
            } else {
                CHECK(world.rank() == 0 || counted.backlogged > 0);
            }
            world.quiesce();
            CHECK(
                here.received ==
                (world.rank() == 0 ? messages * static_cast<std::uint64_t>(world.size() - 1) : 0));
            CHECK(queue.counters().window_bytes <= pool_bytes);
        },
        [&](concert_options& options) {
            options.pool_bytes = pool_bytes;
            options.max_message_bytes = 1024;
            options.slots = 4;
        });
}

void push(concert::session& world, const numbers& count, state& here) {
    with_each_queue(
        [&](concert::queue& queue, const configuration& how) {
            if (how.is_pull()) {
                return;
            }
            here = {};
            here.expected.resize(static_cast<std::size_t>(world.size()));
            const std::uint64_t messages = how.is_far() ? 100 : 2'000;
            send_to_rank_0(world, count, queue, messages);
            world.quiesce();
            CHECK(
                here.received ==
                (world.rank() == 0 ? messages * static_cast<std::uint64_t>(world.size() - 1) : 0));
        },
        [](concert_options& options) {
            options.slots = 4;
            options.max_message_bytes = 1024;
        });
}

}  // namespace

int main() {
    concert::session world;
    state here;
    const numbers count("count", [&](int source, std::span<const std::uint64_t> items) {
        CHECK(items.size() == 112);
        CHECK(items[0] == here.expected[static_cast<std::size_t>(source)]++);
        ++here.received;
    });
    pull(world, count, here, std::size_t{32} << 20, true);
    pull(world, count, here, std::size_t{64} << 10, false);
    push(world, count, here);
    passed("slow_receiver");
    return 0;
}
