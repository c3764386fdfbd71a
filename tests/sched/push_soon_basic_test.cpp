// SPDX-License-Identifier: BSD-3-Clause
// Under another scheduler than work_stealing nobody steals: a unit that was handed a lock must not
// leave the idle stream that serves it for a busy one.
#include <gtest/gtest.h>

#include <chrono>

#include "tests/support/runtime.hpp"

namespace {

using namespace std::chrono_literals;
namespace sup = lazult::support;
using lazult::core::technique;

void check(lazult::base::scheduler_kind kind, bool soon) {
    auto settings = sup::settings_for(2);
    settings.scheduler = kind;
    const sup::runtime running(settings);
    std::atomic<bool> ran{false};
    auto& there = lazult::sched::stream_at(1)->default_pool();
    sup::unit urgent(there, lazult::core::unit_attributes(technique::lazy_stack),
                     [&] { ran = true; });
    if (soon) {
        there.push_soon(lazult::core::this_worker_or_null(), urgent.get());
    } else {
        there.push(lazult::core::this_worker_or_null(), urgent.get());
    }
    // Stream 1 idles; this one has something to do for a while.
    const auto end = std::chrono::steady_clock::now() + 2s;
    while (!ran.load() && std::chrono::steady_clock::now() < end) {
    }
    EXPECT_TRUE(ran.load()) << "the stream that serves it is idle, and it waits for a busy one";
    urgent.join();
}

TEST(push_soon_basic, plain_push_under_basic) { check(lazult::base::scheduler_kind::basic, false); }
TEST(push_soon_basic, soon_under_work_stealing) {
    check(lazult::base::scheduler_kind::work_stealing, true);
}
TEST(push_soon_basic, soon_under_basic) { check(lazult::base::scheduler_kind::basic, true); }

}  // namespace
