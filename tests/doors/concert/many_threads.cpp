// SPDX-License-Identifier: BSD-3-Clause
// Several OS threads of each rank send at once, and one more extracts: those of one thread keep
// their order.
#include "harness.hpp"

#include <array>
#include <atomic>
#include <thread>

using namespace lazult;
using namespace lazult::testing;

namespace {
constexpr unsigned senders = 3;
}

int main() {
    concert::session world;
    std::vector<std::array<std::uint64_t, senders>> expected;
    std::uint64_t received = 0;
    const concert::handler<unsigned, std::uint64_t> count(
        "count", [&](int source, unsigned thread, std::uint64_t number) {
            CHECK(number == expected[static_cast<std::size_t>(source)][thread]++);
            ++received;
        });
    with_each_queue([&](concert::queue& queue, const configuration& how) {
        expected.assign(static_cast<std::size_t>(world.size()), {});
        received = 0;
        // Expectations are ready everywhere before anybody sends.
        world.quiesce();
        const std::uint64_t messages = how.is_far() ? 50 : 5'000;
        std::atomic<bool> over{false};
        std::thread extractor([&] {
            while (!over) {
                queue.extract(10);
            }
        });
        std::vector<std::thread> threads;
        for (unsigned thread = 0; thread < senders; ++thread) {
            threads.emplace_back([&, thread] {
                for (std::uint64_t number = 0; number < messages; ++number) {
                    for (int to = 0; to < world.size(); ++to) {
                        count.send(queue, to, thread, number);
                    }
                }
            });
        }
        for (std::thread& each : threads) {
            each.join();
        }
        over = true;
        extractor.join();
        world.quiesce();
        CHECK(received == messages * senders * static_cast<std::uint64_t>(world.size()));
    });
    passed("many_threads");
    return 0;
}
