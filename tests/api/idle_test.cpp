// SPDX-License-Identifier: BSD-3-Clause
// What a process costs that has nothing to do, or many streams for it.
#include <lazult/scheduler.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <thread>

#include <lazult/lazult.hpp>

namespace {

using namespace std::chrono_literals;
namespace this_thread = lazult::this_thread;

// Of all OS threads.
double cpu_seconds() {
    timespec used{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / 1e9;
}

std::uint64_t sleeps() { return lazult::statistics().sleeps; }

double cpu_share_while_idle(std::chrono::duration<double> time) {
    const double before = cpu_seconds();
    lazult::thread([=] {
        this_thread::sleep_for(std::chrono::duration_cast<std::chrono::nanoseconds>(time));
    }).join();
    return (cpu_seconds() - before) / time.count();
}

class idle_process : public testing::TestWithParam<int> {
protected:
    lazult::runtime running_{lazult::options{.streams = GetParam()}};
    std::atomic<long> calls_{0};

    lazult::event_callback callback(lazult::awaited_events when = lazult::awaited_events::always) {
        return lazult::event_callback(
            [this] {
                ++calls_;
                return 0;
            },
            when);
    }
};

// Of a processor. A wake-up from a sleep costs some 60 us on a quiet virtual machine, and several
// times that beside a busy process. So the count of wake-ups decides, which is the same everywhere.
TEST_P(idle_process, pays_next_to_nothing_for_a_callback_that_finds_nothing) {
    const lazult::event_callback quiet = callback();
    this_thread::sleep_for(200ms);  // until the pauses are long
    const std::uint64_t before = sleeps();
    EXPECT_LT(cpu_share_while_idle(2s), 0.02 * GetParam());
    EXPECT_LE(sleeps() - before, 150U + 40U * static_cast<unsigned>(GetParam()));
    EXPECT_GE(calls_, 50);  // it is not forgotten
}

TEST_P(idle_process, does_not_call_what_is_not_expected_to_find_anything) {
    const lazult::event_callback quiet = callback(lazult::awaited_events::when_expected);
    this_thread::sleep_for(50ms);
    const long before = calls_;
    this_thread::sleep_for(200ms);
    EXPECT_LE(calls_ - before, 20);  // by the streams that begin and end the sleep
}

TEST_P(idle_process, calls_soon_while_events_are_expected) {
    const lazult::event_callback wanted = callback();
    this_thread::sleep_for(100ms);  // until the pauses are long
    const long before = calls_;
    lazult::expect_events(+1);
    this_thread::sleep_for(1s);
    lazult::expect_events(-1);
    EXPECT_GE(calls_ - before, 600);  // pauses of 100 us; with those of 20 ms it would be some 50
}

// While a thread keeps calls one stream looks whether there is work for it, and not often.
// Afterwards none does.
TEST_P(idle_process, looks_for_forks_only_while_there_are_any) {
    std::uint64_t while_kept = 0;
    lazult::fork_join([&](lazult::forker fork) {
        fork.both(
            [&](lazult::forker) {
                const std::uint64_t before = sleeps();
                std::this_thread::sleep_for(1s);  // the thread keeps its call: it does not suspend
                while_kept = sleeps() - before;
            },
            [](lazult::forker) {});
    });
    EXPECT_LE(while_kept, 2500U + 250U * static_cast<unsigned>(GetParam()));
    this_thread::sleep_for(100ms);
    const std::uint64_t before = sleeps();
    EXPECT_LT(cpu_share_while_idle(1s), 0.02 * GetParam());
    EXPECT_LE(sleeps() - before, 20U * static_cast<unsigned>(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(streams, idle_process, testing::Values(1, 2, 4));

TEST(many_streams, start_and_end_in_little_time) {
    const double before = cpu_seconds();
    try {
        const lazult::runtime running(lazult::options{.streams = 1024});
        int result = 0;
        lazult::thread([&] { result = 1; }).join();
        EXPECT_EQ(result, 1);
    } catch (const lazult::error& e) {
        GTEST_SKIP() << "this system allows fewer threads: " << e.what();
    }
    // 0.3 as a rule, and some 3 beside one busy process: starts and ends are awaited by polling.
    EXPECT_LT(cpu_seconds() - before, 6.0);
}

}  // namespace
