// SPDX-License-Identifier: BSD-3-Clause
// Timed joins of units that are confined to another stream's private pool.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "lazult/sync/sync.hpp"
#include "tests/support/runtime.hpp"

namespace {

using namespace std::chrono_literals;
namespace sup = lazult::support;
using lazult::base::status;
using lazult::core::technique;

// The opener that stands in for the unit waits behind others, and the deadline comes first.

TEST(timed_join, sees_a_unit_that_ended_behind_its_opener) {
    const sup::runtime running(2);
    sup::unit u;
    sup::unit v;
    std::atomic<bool> ready{false};
    const auto busy = [](std::chrono::milliseconds t) {
        const auto end = std::chrono::steady_clock::now() + t;
        while (std::chrono::steady_clock::now() < end) {
        }
    };
    auto& there = *lazult::sched::stream_at(1)->pinned();
    sup::unit starter = sup::spawn(there, technique::lazy_stack, [&] {
        u = sup::spawn(there, technique::lazy_stack, [&] { busy(30ms); });
        v = sup::spawn(there, technique::lazy_stack, [&] { busy(600ms); });
        ready = true;
    });
    while (!ready.load()) {
        std::this_thread::yield();
    }
    const status outcome = lazult::sync::join_until(u.get(), lazult::os::now_ns() + 200'000'000);
    EXPECT_TRUE(u.get()->join.is_finished());
    EXPECT_EQ(outcome, status::ok) << "timed_out 170 ms after the unit's end";
    u.join();
    v.join();
    starter.join();
}

}  // namespace
