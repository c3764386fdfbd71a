// SPDX-License-Identifier: BSD-3-Clause
// Signals that arrive while units change places.
#include <gtest/gtest.h>

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "tests/support/runtime.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;

constexpr std::int64_t handling_ns = 5'000;
std::atomic<int> handled{0};
std::atomic<int> overwritten{0};

// As a profiler's: it runs on the stack that the thread is on, and takes a while. Its frame must
// still be its own then.
void handle(int) {
    std::array<volatile char, 2048> frame;
    std::fill(frame.begin(), frame.end(), 'x');
    const std::int64_t end = os::now_ns() + handling_ns;
    while (os::now_ns() < end) {
    }
    if (!std::all_of(frame.begin(), frame.end(), [](char c) { return c == 'x'; })) {
        ++overwritten;
    }
    ++handled;
}

class handler_of_urg {
public:
    handler_of_urg() {
        struct sigaction ours = {};
        ours.sa_handler = handle;
        ours.sa_flags = SA_RESTART;
        EXPECT_EQ(::sigaction(SIGURG, &ours, &before_), 0);
    }
    handler_of_urg(const handler_of_urg&) = delete;
    ~handler_of_urg() { ::sigaction(SIGURG, &before_, nullptr); }

private:
    struct sigaction before_;
};

// A unit stands in its pool before it has left its stack. If a thief could resume it while a
// handler runs there, the handler's frame would be overwritten.
TEST(signals, find_their_stack_alone_while_units_yield_and_are_stolen) {
    const handler_of_urg handler;
    const runtime running(2);
    std::atomic<bool> stop{false};
    std::vector<unit> units;
    for (int i = 0; i < 3; ++i) {
        units.push_back(spawn(sched::stream_at(0)->default_pool(), technique::full, [&] {
            while (!stop) {
                core::yield();
            }
        }));
    }
    const std::array<pthread_t, 2> threads{::pthread_self(), sched::stream_at(1)->thread_handle()};
    std::thread sender([&] {
        const std::int64_t end = os::now_ns() + 1'000'000'000;
        while (os::now_ns() < end) {
            for (const pthread_t each : threads) {
                ::pthread_kill(each, SIGURG);
            }
            std::this_thread::sleep_for(std::chrono::microseconds(20));
        }
        stop = true;
    });
    for (unit& each : units) {
        EXPECT_EQ(each.join(), status::ok);
    }
    sender.join();
    EXPECT_GT(handled, 100);
    EXPECT_EQ(overwritten, 0);
}

}  // namespace
