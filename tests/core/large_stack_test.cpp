// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "tests/support/runtime.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;

constexpr std::size_t frame_bytes = std::size_t{512} << 10;  // eight times a ULT's stack

[[gnu::noinline]] int fill_a_large_frame(int value) {
    volatile char frame[frame_bytes];
    std::memset(const_cast<char*>(frame), value, frame_bytes);
    return frame[frame_bytes / 2];
}

bool is_within(const core::stack& s, const void* p) {
    const auto* const at = static_cast<const std::byte*>(p);
    return at >= s.low && at < s.high;
}

TEST(large_stack, has_room_for_what_a_units_stack_has_not) {
    base::settings s = settings_for(2);
    s.stack_size = std::size_t{64} << 10;
    const runtime running(s);
    for (const technique how : suspending_techniques) {
        unit u = spawn(default_pool(), how, [] {
            for (int i = 1; i < 10; ++i) {
                EXPECT_EQ(core::on_large_stack([i] { return fill_a_large_frame(i); }), i);
                core::yield();  // maybe to another stream, with another large stack
            }
        });
        EXPECT_EQ(u.join(), status::ok);
    }
}

TEST(large_stack, is_one_for_calls_within_calls) {
    const runtime running(1);
    unit u = spawn(pinned(), technique::full, [] {
        core::on_large_stack([] {
            const void* const outer = __builtin_frame_address(0);
            core::on_large_stack([outer] {
                const auto distance = static_cast<const char*>(outer) -
                                      static_cast<const char*>(__builtin_frame_address(0));
                EXPECT_GT(distance, 0);
                EXPECT_LT(distance, 64 << 10);
            });
        });
    });
    u.join();
}

// An operating system's stack may be larger yet.
TEST(large_stack, is_not_taken_from_an_os_threads_own_stack) {
    const runtime running(1);
    const core::stack& own = core::this_worker().thread_stack;
    core::on_large_stack(
        [&own] { EXPECT_TRUE(is_within(own, __builtin_frame_address(0)) || probe::asan); });
    EXPECT_TRUE(core::can_suspend());
}

// Or small: its creator says so, or a limit (ulimit -s).
TEST(large_stack, is_taken_where_an_os_threads_own_stack_is_small) {
    const runtime running(1);
    core::stack& own = core::this_worker().thread_stack;
    std::byte* const low = std::exchange(own.low, own.high - (std::size_t{512} << 10));
    EXPECT_TRUE(is_within(own, __builtin_frame_address(0)) || probe::asan);
    core::on_large_stack([&own] { EXPECT_FALSE(is_within(own, __builtin_frame_address(0))); });
    own.low = low;
    EXPECT_TRUE(core::can_suspend());
}

TEST(large_stack, nothing_suspends_on_it) {
    const runtime running(1);
    core::on_large_stack([] { EXPECT_FALSE(core::can_suspend()); });
    unit u = spawn(pinned(), technique::full, [] {
        EXPECT_TRUE(core::can_suspend());
        core::on_large_stack([] {
            EXPECT_FALSE(core::can_suspend());
            core::on_large_stack([] { EXPECT_FALSE(core::can_suspend()); });
            EXPECT_FALSE(core::can_suspend());
        });
        EXPECT_TRUE(core::can_suspend());
    });
    u.join();
}

TEST(large_stack, threads_that_are_no_streams_call_where_they_are) {
    std::thread([] {
        EXPECT_EQ(core::on_large_stack([] { return fill_a_large_frame(7); }), 7);
    }).join();
}

TEST(large_stack, threads_that_have_a_worker_and_no_scheduler_call_where_they_are) {
    std::thread([] {
        const core::stack& own = core::this_worker().thread_stack;
        core::on_large_stack(
            [&own] { EXPECT_TRUE(is_within(own, __builtin_frame_address(0)) || probe::asan); });
    }).join();
}

// Where no unit runs: in a callback of the loop's.
TEST(large_stack, is_there_for_a_schedulers_own_code) {
    const runtime running(1);
    static int result;
    result = 0;
    const std::uint64_t id = sched::add_event_callback(
        [](void*) {
            if (core::current_unit() != nullptr) {
                return 0;  // a unit polls, and not the scheduler
            }
            result = core::on_large_stack([] { return fill_a_large_frame(5); });
            return 1;
        },
        nullptr);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (result == 0 && std::chrono::steady_clock::now() < end) {
        suspend_for_a_moment();
    }
    sched::remove_event_callback(id);
    EXPECT_EQ(result, 5);
}

}  // namespace
