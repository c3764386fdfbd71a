// SPDX-License-Identifier: BSD-3-Clause
// Waits for other ranks where nobody could wait: run() in a message's handler, quiescence in a
// method. And a thread that waits in run() while the session ends.
#include "tests/doors/concert/harness.hpp"

#include <lazult_concert_objects.hpp>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

namespace concert = lazult::concert;
using concert::call;
using concert::caller;
using concert::on;
using concert::outcome;
using concert::run;

namespace {

long twice(long n) { return 2 * n; }

int quiesce_here() { return concert_quiesce(); }
int finalize_here() { return concert_finalize(); }

concert::continuation<long> pending;
std::atomic<bool> is_pending{false};
outcome<long> waits_for_main(caller<long> by) {
    pending = by.take();
    is_pending = true;
    return by.given();
}

}  // namespace

int main() {
    std::thread waits;
    {
        concert::session world;
        const int next = (world.rank() + 1) % world.size();
        std::atomic<int> refused{0};
        const concert::handler<int> asks("asks", [&](int, int rank) {
            try {
                run(on(rank), twice, 1L);
            } catch (const lazult::error& e) {
                refused += e.code() == lazult::errc::cannot_suspend ? 1 : 0;
            }
        });
        asks.send(next, next);
        asks.send(next, world.rank());
        world.quiesce();
        CHECK(refused == 2);

        CHECK(run(quiesce_here) == CONCERT_ERR_CONTEXT);
        CHECK(run(on(next), finalize_here) == CONCERT_ERR_CONTEXT);
        world.quiesce();

        // What it waits for comes from this rank, and long after the session.
        waits = std::thread([] { CHECK(run(waits_for_main) == 7); });
        while (!is_pending) {
            std::this_thread::yield();
        }
        lazult::testing::passed("waits_that_cannot_be");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    pending.resolve(7);
    waits.join();
}
