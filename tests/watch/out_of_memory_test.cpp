// SPDX-License-Identifier: BSD-3-Clause
// If memory is refused to those that watch and report, this is said, and the process goes on.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>

#include "lazult/watch/monitor.hpp"
#include "lazult/watch/statistics_table.hpp"
#include "tests/support/runtime.hpp"
#include "tests/support/scarcity.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;

base::settings watching(std::int64_t ns) {
    base::settings s = settings_for(1);
    s.watchdog = ns;
    return s;
}

bool nothing_awaited() noexcept { return false; }

TEST(out_of_memory, nobody_watches_and_that_is_said) {
    ASSERT_EQ(base::override_settings(watching(1'000'000'000)), status::ok);
    testing::internal::CaptureStderr();
    {
        const scarcity none;
        watch::start_watching({nothing_awaited, nullptr});
    }
    watch::stop_watching();
    EXPECT_NE(
        testing::internal::GetCapturedStderr().find(
            "out of memory: LAZULT_WATCHDOG, LAZULT_DEADLOCK, LAZULT_SPARE and LAZULT_QUANTUM "
            "watch nobody"),
        std::string::npos);
}

TEST(out_of_memory, a_watcher_gives_up_and_says_so) {
    core::this_worker();  // somebody to look at
    ASSERT_EQ(base::override_settings(watching(400'000'000)), status::ok);
    testing::internal::CaptureStderr();
    watch::start_watching({nothing_awaited, nullptr});
    {
        const scarcity none;
        std::this_thread::sleep_for(std::chrono::milliseconds(300));  // it looks every 100
    }
    watch::stop_watching();
    EXPECT_NE(testing::internal::GetCapturedStderr().find(
                  "nobody watches for late units and deadlocks any more"),
              std::string::npos);
}

TEST(out_of_memory, counters_are_not_written_and_that_is_said) {
    core::this_worker();
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
    ASSERT_NE(file, nullptr);
    testing::internal::CaptureStderr();
    {
        const scarcity none;
        watch::write_statistics(file.get(), false);
    }
    EXPECT_NE(
        testing::internal::GetCapturedStderr().find("there is no memory to write the counters"),
        std::string::npos);
    EXPECT_EQ(std::ftell(file.get()), 0);
}

}  // namespace
