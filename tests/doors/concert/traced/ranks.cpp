// SPDX-License-Identifier: BSD-3-Clause
// A program of two ranks for tests/doors/concert/trace_waits_test.py: a ULT of rank 0 waits in a
// collective call to which rank 1 comes late.
#include <lazult/lazult.hpp>
#include <lazult_concert.hpp>

#include <chrono>
#include <thread>

namespace {

void wait_beside_another(lazult::concert::session& world) {
    bool is_over = false;
    lazult::thread waiter([&] {
        world.quiesce();
        is_over = true;
    });
    while (!is_over) {
        lazult::this_thread::yield();
    }
    waiter.join();
}

}  // namespace

int main() {
    const lazult::runtime running(lazult::options{.streams = 1});
    lazult::concert::session world;
    if (world.rank() == 0) {
        wait_beside_another(world);
    } else {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        world.quiesce();
    }
}
