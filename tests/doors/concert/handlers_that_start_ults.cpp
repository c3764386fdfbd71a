// SPDX-License-Identifier: BSD-3-Clause
// Handlers start ULTs, which suspend, take a mutex and send on; quiescence waits for them, and for
// what they send.
#include "harness.hpp"

#include <lazult/lazult.hpp>

#include <atomic>
#include <mutex>

using namespace lazult;
using namespace lazult::testing;

int main() {
    runtime streams({.streams = 2});
    concert::session world;
    mutex lock;
    std::uint64_t sum = 0;
    std::atomic<std::uint64_t> ended{0};
    concert::queue* current = nullptr;
    const concert::handler<std::uint64_t> back("back", [&](int, std::uint64_t) {
        concert::spawn([&] {
            this_thread::yield();
            const std::scoped_lock hold(lock);
            ++sum;
        });
    });
    const concert::handler<std::uint64_t> start("start", [&](int source, std::uint64_t number) {
        concert::spawn([&, source, number] {
            this_thread::yield();
            {
                const std::scoped_lock hold(lock);
                sum += number;
                this_thread::yield();
            }
            back.send(*current, source, number);
            ended.fetch_add(1);
        });
    });
    with_each_queue([&](concert::queue& queue, const configuration& how) {
        current = &queue;
        sum = 0;
        ended = 0;
        const std::uint64_t messages = how.is_far() ? 50 : 500;
        for (std::uint64_t number = 1; number <= messages; ++number) {
            for (int to = 0; to < world.size(); ++to) {
                start.send(queue, to, number);
            }
        }
        world.quiesce();
        const auto size = static_cast<std::uint64_t>(world.size());
        CHECK(ended == messages * size);
        const std::scoped_lock hold(lock);
        CHECK(sum == size * (messages * (messages + 1) / 2 + messages));
    });
    passed("handlers_that_start_ults");
    return 0;
}
