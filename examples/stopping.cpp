// SPDX-License-Identifier: BSD-3-Clause
// A worker that ends when its lazult::thread object does, and a wait that a stop request ends.
#include <lazult/condition_variable.hpp>
#include <lazult/this_thread.hpp>
#include <lazult/thread.hpp>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>

int main() {
    using namespace std::chrono_literals;
    std::atomic<int> rounds{0};
    bool interrupted = false;
    {
        lazult::thread ticker([&](std::stop_token stop) {
            while (!stop.stop_requested()) {
                ++rounds;
                lazult::this_thread::sleep_for(1ms);
            }
        });
        lazult::mutex m;
        lazult::condition_variable never;
        lazult::thread waiter([&](std::stop_token stop) {
            std::unique_lock lock(m);
            interrupted = !never.wait(lock, stop, [] { return false; });
        });
        lazult::this_thread::sleep_for(20ms);
    }
    std::printf("%d rounds\n", rounds.load());
    return rounds > 0 && interrupted ? 0 : 1;
}
