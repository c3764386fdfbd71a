// SPDX-License-Identifier: BSD-3-Clause
// What happens once in a process happens in processes of its own: death tests that end with
// exit(0).
#include <lazult/runtime.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include <lazult/error.hpp>
#include <lazult/info.hpp>
#include <lazult/lazult.hpp>

namespace {

std::string message_of(const lazult::options& with) {
    try {
        const lazult::runtime r(with);
    } catch (const lazult::error& e) {
        return e.what();
    }
    return "";
}

std::string value_of(const std::string& name) {
    for (const auto& row : lazult::settings()) {
        if (row.name == name) {
            return row.value + " by " + row.source;
        }
    }
    return "";
}

void require(bool condition, const char* text) {
    if (!condition) {
        std::fprintf(stderr, "not so: %s\n", text);
        std::exit(1);
    }
}
#define REQUIRE(condition) require(condition, #condition)

class runtime_process : public testing::Test {
protected:
    void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(runtime_process, options_win_over_the_environment) {
    EXPECT_EXIT(
        {
            setenv("LAZULT_STREAMS", "4", 1);
            setenv("LAZULT_STACK_SIZE", "128K", 1);
            {
                const lazult::runtime r({.streams = 3, .how = lazult::technique::full});
                REQUIRE(lazult::runtime::is_running());
                REQUIRE(lazult::runtime::streams() == 3);
                REQUIRE(value_of("streams") == "3 by program");
                REQUIRE(value_of("stack_size") == "128 KiB by environment");
                REQUIRE(value_of("technique") == "full by program");
                lazult::thread([] {
                    REQUIRE(lazult::this_thread::technique_used() == lazult::technique::full);
                }).join();
            }
            REQUIRE(!lazult::runtime::is_running());
            std::exit(0);
        },
        testing::ExitedWithCode(0), "");
}

TEST_F(runtime_process, starts_and_stops_again) {
    EXPECT_EXIT(
        {
            for (int streams = 1; streams <= 4; ++streams) {
                const lazult::runtime r({.streams = streams});
                const lazult::runtime again;
                REQUIRE(lazult::runtime::streams() == streams);
                std::atomic<int> sum{0};
                lazult::parallel_for(0, 100, [&](int i) { sum += i; });
                REQUIRE(sum == 4950);
            }
            std::exit(0);
        },
        testing::ExitedWithCode(0), "");
}

TEST_F(runtime_process, options_end_with_the_runtime_that_they_were_given_to) {
    EXPECT_EXIT(
        {
            setenv("LAZULT_STREAMS", "2", 1);
            {
                const lazult::runtime r({.streams = 3, .spare = std::chrono::milliseconds(3)});
            }
            const lazult::runtime next({.event_period = 32});
            REQUIRE(lazult::runtime::streams() == 2);
            REQUIRE(value_of("streams") == "2 by environment");
            REQUIRE(value_of("spare") == "0 ns by default");
            REQUIRE(value_of("event_period") == "32 by program");
            std::exit(0);
        },
        testing::ExitedWithCode(0), "");
}

TEST_F(runtime_process, other_settings_while_it_runs) {
    EXPECT_EXIT(
        {
            lazult::thread([] {}).join();
            const int streams = lazult::runtime::streams();
            REQUIRE(message_of({.streams = streams + 1}).find("it runs already") !=
                    std::string::npos);
            REQUIRE(message_of({}).empty());
            std::exit(0);
        },
        testing::ExitedWithCode(0), "");
}

TEST_F(runtime_process, options_out_of_range_are_named_with_what_was_given) {
    EXPECT_EXIT(
        {
            REQUIRE(message_of({.streams = -1}) ==
                    "lazult: option streams: it is -1; give a whole number from 0 to 1024");
            REQUIRE(message_of({.streams = 5000}) ==
                    "lazult: option streams: it is 5000; give a whole number from 0 to 1024");
            REQUIRE(message_of({.event_period = -7})
                        .starts_with("lazult: option event_period: it is -7; give "));
            REQUIRE(message_of({.event_period = 0})
                        .starts_with("lazult: option event_period: it is 0; give "));
            REQUIRE(message_of({.max_cached_stacks = -2})
                        .starts_with("lazult: option max_cached_stacks: it is -2; give "));
            REQUIRE(message_of({.idle_spin = std::chrono::nanoseconds(-3)})
                        .starts_with(
                            "lazult: option idle_spin: it is -3; give a time from 0 ns to 1 s"));
            REQUIRE(message_of({.spare = std::chrono::nanoseconds(-1)})
                        .starts_with("lazult: option spare: it is -1; give a time from 0 ns to "));
            REQUIRE(message_of({.quantum = std::chrono::hours(2)})
                        .starts_with("lazult: option quantum: it is "));
            REQUIRE(message_of({.stack_size = 1})
                        .starts_with(
                            "lazult: option stack_size: it is 1 bytes; give a size from 4 KiB"));
            REQUIRE(!message_of({.how = static_cast<lazult::technique>(99)}).empty());
            REQUIRE(message_of({.streams = 1}).empty());
            std::exit(0);
        },
        testing::ExitedWithCode(0), "^$");
}

TEST_F(runtime_process, absurd_settings) {
    EXPECT_EXIT(
        {
            REQUIRE(message_of({.streams = -1}).find("option streams") != std::string::npos);
            REQUIRE(message_of({.streams = 5000}).find("from 0 to 1024") != std::string::npos);
            REQUIRE(message_of({.stack_size = 1}).find("option stack_size") != std::string::npos);
            REQUIRE(message_of({.how = static_cast<lazult::technique>(99)}).find("technique") !=
                    std::string::npos);
            REQUIRE(message_of({.idle_spin = std::chrono::nanoseconds(-5)}).find("idle_spin") !=
                    std::string::npos);
            REQUIRE(!lazult::runtime::is_running());
            std::exit(0);
        },
        testing::ExitedWithCode(0), "");
}

TEST_F(runtime_process, what_is_ready_runs_before_the_end) {
    EXPECT_EXIT(
        {
            std::atomic<int> ran{0};
            {
                const lazult::runtime r({.streams = 2});
                for (int i = 0; i < 100; ++i) {
                    lazult::thread([&ran] { ++ran; }).detach();
                }
            }
            REQUIRE(ran == 100);
            std::exit(0);
        },
        testing::ExitedWithCode(0), "");
}

TEST_F(runtime_process, main_keeps_its_locals) {
    EXPECT_EXIT(
        {
            lazult::local<int> mine;
            mine.get() = 5;
            {
                const lazult::runtime r({.streams = 2});
                REQUIRE(mine.get() == 5);
                lazult::this_thread::yield();
                mine.get() = 6;
            }
            REQUIRE(mine.get() == 6);
            std::exit(0);
        },
        testing::ExitedWithCode(0), "");
}

TEST(technique, names) {
    EXPECT_EQ(name(lazult::technique::scheduler_creation), "scheduler_creation");
    EXPECT_EQ(name(lazult::technique::configured), "configured");
    EXPECT_EQ(name(static_cast<lazult::technique>(99)), "unknown");
}

TEST(error, categories) {
    const std::error_code code = lazult::errc::would_deadlock;
    EXPECT_EQ(code, std::errc::resource_deadlock_would_occur);
    EXPECT_EQ(code.message(), "would deadlock");
    const lazult::error e(lazult::errc::busy, "pump", "it is in use", "wait");
    const lazult::error copy = e;
    EXPECT_STREQ(copy.what(), "lazult: pump: it is in use; wait");
    EXPECT_EQ(copy.code(), lazult::errc::busy);
    const std::system_error& base = copy;
    EXPECT_STREQ(base.what(), "lazult: pump: it is in use; wait");
}

}  // namespace
