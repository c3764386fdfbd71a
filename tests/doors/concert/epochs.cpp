// SPDX-License-Identifier: BSD-3-Clause
// Epochs back to back: no message runs before its receiver has come to the sender's epoch, nor
// after it has left it. Usage: epochs [long].
#include "harness.hpp"

using namespace lazult;
using namespace lazult::testing;

int main(int argc, char**) {
    // A rank's messages repeat after seven rounds.
    const int near_rounds = argc > 1 ? 300 : 42;
    concert::session world;
    std::uint64_t received = 0;
    concert::queue* current = nullptr;
    const concert::handler<std::uint32_t, int>* self = nullptr;
    const concert::handler<std::uint32_t, int> mark(
        "mark", [&](int source, std::uint32_t epoch, int hops) {
            CHECK(epoch == concert_epoch());
            ++received;
            if (hops != 0) {
                self->send(*current, (source + 1) % world.size(), epoch, hops - 1);
            }
        });
    self = &mark;
    with_each_queue(
        [&](concert::queue& queue, const configuration& how) {
            current = &queue;
            const int rounds = how.is_far() ? 20 : near_rounds;
            for (int round = 0; round < rounds; ++round) {
                received = 0;
                const std::uint32_t before = concert_epoch();
                // Ranks are early and late in turns; nobody waits for anybody between two epochs.
                const int messages = 1 + (round + world.rank()) % 7;
                for (int i = 0; i < messages; ++i) {
                    mark.send(queue, (world.rank() + i) % world.size(), before, 2);
                }
                world.quiesce();
                CHECK(concert_epoch() == before + 1);
                CHECK(concert_extract(1) == 0 || received > 0);
            }
        },
        [](concert_options& options) {
            options.slots = 8;
            options.max_message_bytes = 64;
        });
    passed("epochs");
    return 0;
}
