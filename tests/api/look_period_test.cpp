// SPDX-License-Identifier: BSD-3-Clause
// A unit that another thread wakes does not wait for many turns of units that run for long.
#include <lazult/lazult.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace lazult {
namespace {

using namespace std::chrono_literals;

void compute_for(std::chrono::nanoseconds time) {
    for (const auto end = std::chrono::steady_clock::now() + time;
         std::chrono::steady_clock::now() < end;) {
    }
}

struct computing_units {
    explicit computing_units(lazult::pool& where) {
        for (int i = 0; i < 4; ++i) {
            all.emplace_back(lazult::thread_attributes{.where = &where}, [this] {
                while (!is_over) {
                    compute_for(50us);
                    ++turns;
                    lazult::this_thread::yield();
                }
            });
        }
    }
    ~computing_units() {
        is_over = true;
        for (lazult::thread& each : all) {
            each.join();
        }
    }
    computing_units(const computing_units&) = delete;
    computing_units& operator=(const computing_units&) = delete;

    std::atomic<bool> is_over{false};
    std::atomic<int> turns{0};
    std::vector<lazult::thread> all;
};

constexpr int questions = 21;

// Counts turns and not time, because other programs may have the processor. The stream looks into
// the queue for other threads each few turns, and not each 64.
class woken_behind : public ::testing::TestWithParam<lazult::pool_kind> {};

TEST_P(woken_behind, units_that_run_for_long) {
    const lazult::runtime running{lazult::options{.streams = 1, .event_period = 64}};
    lazult::pool pool(GetParam());
    lazult::execution_stream stream(lazult::scheduler_kind::basic, {&pool});
    lazult::counting_semaphore<> asked(0);
    std::atomic<int> answers{0};
    std::vector<int> turns;
    {
        computing_units computing(pool);
        int asked_at = 0;
        lazult::thread answering({.where = &pool}, [&] {
            for (int i = 0; i < questions; ++i) {
                asked.acquire();
                turns.push_back(computing.turns - asked_at);
                ++answers;
            }
        });
        while (computing.turns < 300) {  // the stream has got to know them
            std::this_thread::sleep_for(1ms);
        }
        for (int i = 0; i < questions; ++i) {
            asked_at = computing.turns;
            asked.release();
            while (answers == i) {
                std::this_thread::sleep_for(1ms);
            }
        }
        answering.join();
    }
    std::ranges::sort(turns);
    EXPECT_LE(turns[turns.size() / 2], 16);
}

INSTANTIATE_TEST_SUITE_P(pools, woken_behind,
                         ::testing::Values(lazult::pool_kind::private_fifo,
                                           lazult::pool_kind::shared_fifo));

}  // namespace
}  // namespace lazult
