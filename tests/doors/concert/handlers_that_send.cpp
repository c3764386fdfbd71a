// SPDX-License-Identifier: BSD-3-Clause
// Trees of messages: each handler sends two more, to ranks that it draws, until the hops are used
// up. Push has as few slots as there can be, so that rings are full all the time.
#include "harness.hpp"

using namespace lazult;
using namespace lazult::testing;

namespace {

std::uint64_t scramble(std::uint64_t x) {
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdULL;
    return x ^ (x >> 33);
}

}  // namespace

int main() {
    concert::session world;
    std::uint64_t received = 0;
    concert::queue* current = nullptr;
    const concert::handler<std::uint64_t, unsigned>* self = nullptr;
    const auto size = static_cast<std::uint64_t>(world.size());
    const concert::handler<std::uint64_t, unsigned> grow(
        "grow", [&](int, std::uint64_t seed, unsigned hops) {
            ++received;
            for (std::uint64_t child = 1; hops != 0 && child <= 2; ++child) {
                const std::uint64_t next = scramble(seed * 3 + child);
                self->send(*current, static_cast<int>(next % size), next, hops - 1);
            }
        });
    const concert::handler<std::uint64_t> total("total",
                                                [&](int, std::uint64_t n) { received += n; });
    self = &grow;
    with_each_queue(
        [&](concert::queue& queue, const configuration& how) {
            current = &queue;
            received = 0;
            const unsigned hops = how.is_far() ? 7 : 11;
            grow.send(queue, (world.rank() + 1) % world.size(),
                      scramble(static_cast<std::uint64_t>(world.rank())), hops);
            world.quiesce();
            const std::uint64_t mine = received;
            received = 0;
            total.send(queue, 0, mine);
            world.quiesce();
            CHECK(received ==
                  (world.rank() == 0 ? size * ((std::uint64_t{1} << (hops + 1)) - 1) : 0));
        },
        [](concert_options& options) {
            options.slots = 4;
            options.max_message_bytes = 64;
        });
    passed("handlers_that_send");
    return 0;
}
