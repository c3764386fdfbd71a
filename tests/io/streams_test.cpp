// SPDX-License-Identifier: BSD-3-Clause
// What streams do: sleep where I/O wakes them, end while units wait, and serve what others began.
#include "tests/io/harness.hpp"

#include <lazult/pool.hpp>
#include <lazult/scheduler.hpp>

#include <sys/wait.h>
#include <atomic>

namespace lazult {
namespace {

using namespace lazult::testing;

// A thousand units wait, and the process sleeps.
TEST(streams, cost_nothing_while_units_wait) {
    const lazult::runtime running(lazult::options{.streams = 2});
    std::vector<ends> pipes;
    std::vector<lazult::thread> all;
    for (int i = 0; i < 400; ++i) {
        pipes.push_back(make_pipe(owner::library));
        all.emplace_back([fd = pipes.back().in] {
            char c;
            EXPECT_EQ(io::read(fd, &c, 1).value(), 1);
        });
    }
    lazult::this_thread::sleep_for(100ms);
    const double before = cpu_seconds();
    const std::uint64_t sleeps = lazult::statistics().sleeps;
    lazult::this_thread::sleep_for(1s);
    EXPECT_LT(cpu_seconds() - before, 0.02);
    EXPECT_LT(lazult::statistics().sleeps - sleeps, 20U);
    for (const ends& each : pipes) {
        EXPECT_EQ(::write(each.out, "x", 1), 1);
    }
    for (lazult::thread& each : all) {
        each.join();
    }
}

// A stream that sleeps in its port hears of units as well.
TEST(streams, that_sleep_for_io_are_woken_by_units) {
    const lazult::runtime running(lazult::options{.streams = 2});
    ends both = make_pipe(owner::library);
    lazult::thread reader([&] {
        char c;
        EXPECT_EQ(io::read(both.in, &c, 1).value(), 1);
    });
    for (int i = 0; i < 200; ++i) {
        lazult::this_thread::sleep_for(std::chrono::microseconds(i * 3));
        std::atomic<int> ran{0};
        std::thread outside([&] {
            lazult::thread([&] { ++ran; }).join();
            lazult::thread([&] { ++ran; }).join();
        });
        outside.join();
        EXPECT_EQ(ran, 2);
    }
    EXPECT_EQ(::write(both.out, "x", 1), 1);
    reader.join();
}

// Units wait, while the streams come and go with the runtime.
TEST(streams, that_end_leave_their_waits_to_others) {
    for (int round = 0; round < 20; ++round) {
        const lazult::runtime running(lazult::options{.streams = 1 + round % 3});
        std::vector<ends> pipes;
        std::vector<lazult::thread> all;
        for (int i = 0; i < 10; ++i) {
            pipes.push_back(make_pipe(i % 2 == 0 ? owner::library : owner::program));
            all.emplace_back([fd = pipes.back().in] {
                char c;
                EXPECT_EQ(io::read(fd, &c, 1).value(), 1);
            });
        }
        lazult::this_thread::sleep_for(1ms);
        for (const ends& each : pipes) {
            EXPECT_EQ(::write(each.out, "x", 1), 1);
        }
        for (lazult::thread& each : all) {
            each.join();
        }
    }
}

TEST(streams, serve_a_descriptor_that_outlives_a_runtime) {
    std::optional<ends> both;
    for (int round = 0; round < 5; ++round) {
        const lazult::runtime running(lazult::options{.streams = 2});
        if (!both) {
            both.emplace(make_socket_pair(owner::library));
        }
        lazult::thread reader([&] {
            char c;
            EXPECT_EQ(io::read(both->in, &c, 1).value(), 1);
        });
        lazult::this_thread::sleep_for(1ms);
        EXPECT_EQ(::write(both->out, "x", 1), 1);
        reader.join();
    }
}

// Many pairs of units that always answer each other: none is overtaken for ever by those that are
// woken after it.
TEST(streams, give_all_connections_their_turns) {
    constexpr std::size_t pairs = 400;
    const lazult::runtime running(lazult::options{.streams = 1});
    std::vector<ends> all;
    std::vector<int> turns(pairs);
    std::vector<lazult::thread> units;
    for (std::size_t i = 0; i < pairs; ++i) {
        all.push_back(make_socket_pair(owner::library));
    }
    const auto end = std::chrono::steady_clock::now() + 400ms;
    for (std::size_t i = 0; i < pairs; ++i) {
        units.emplace_back([fd = all[i].in] {
            char bytes[64];
            while (const std::size_t n = io::read(fd, bytes, sizeof bytes).bytes()) {
                EXPECT_EQ(io::write(fd, bytes, n).bytes(), n);
            }
        });
        units.emplace_back([&, i] {
            char bytes[64] = {};
            for (; std::chrono::steady_clock::now() < end; ++turns[i]) {
                EXPECT_EQ(io::write(all[i].out, bytes, 10).value(), 10);
                EXPECT_EQ(io::read(all[i].out, bytes, sizeof bytes).value(), 10);
            }
            all[i].close_out();
        });
    }
    for (lazult::thread& each : units) {
        each.join();
    }
    const auto [least, most] = std::minmax_element(turns.begin(), turns.end());
    EXPECT_GE(*least * 3, *most);
}

class kinds_of_schedulers : public ::testing::TestWithParam<scheduler_kind> {};

TEST_P(kinds_of_schedulers, hear_of_io) {
    const lazult::runtime running(lazult::options{.streams = 2, .scheduler = GetParam()});
    std::vector<ends> pipes;
    std::vector<lazult::thread> all;
    for (int i = 0; i < 50; ++i) {
        pipes.push_back(make_pipe(owner::library));
        all.emplace_back([fd = pipes.back().in] {
            char c;
            for (int k = 0; k < 20; ++k) {
                EXPECT_EQ(io::read(fd, &c, 1).value(), 1);
            }
        });
    }
    in_ult([&] {
        for (int k = 0; k < 20; ++k) {
            for (const ends& each : pipes) {
                EXPECT_EQ(io::write(each.out, "x", 1).value(), 1);
            }
            lazult::this_thread::yield();
        }
    });
    for (lazult::thread& each : all) {
        each.join();
    }
}

INSTANTIATE_TEST_SUITE_P(all, kinds_of_schedulers,
                         ::testing::Values(scheduler_kind::basic, scheduler_kind::priority,
                                           scheduler_kind::work_stealing, scheduler_kind::waiting));

class techniques : public ::testing::TestWithParam<technique> {};

TEST_P(techniques, suspend_in_the_kernels_calls) {
    const lazult::runtime running(lazult::options{.streams = 2, .how = GetParam()});
    ends there = make_pipe(owner::library);
    ends back = make_pipe(owner::program);
    lazult::thread echo([&] {
        int value = 0;
        while (io::read_all(there.in, &value, sizeof value).bytes() == sizeof value) {
            EXPECT_EQ(io::write(back.out, &value, sizeof value).bytes(), sizeof value);
        }
    });
    for (int i = 0; i < 200; ++i) {
        in_ult([&] {
            int got = -1;
            EXPECT_EQ(io::write(there.out, &i, sizeof i).bytes(), sizeof i);
            EXPECT_EQ(io::read_all(back.in, &got, sizeof got).bytes(), sizeof got);
            EXPECT_EQ(got, i);
        });
    }
    there.close_out();
    echo.join();
}

INSTANTIATE_TEST_SUITE_P(all, techniques,
                         ::testing::Values(technique::full, technique::lazy_stack,
                                           technique::return_on_completion,
                                           technique::stack_separation,
                                           technique::scheduler_creation, technique::adaptive));

// A child of fork has its own ports, though the parent's units waited in theirs.
TEST(streams, of_a_forked_child_hear_of_io) {
    if (probe::tsan) {
        GTEST_SKIP() << "ThreadSanitizer does not follow a child of a process with threads";
    }
    const lazult::runtime running(lazult::options{.streams = 1});
    ends both = make_pipe(owner::library);
    ends childs = make_pipe(owner::library);
    lazult::thread reader([&] {
        char c;
        EXPECT_EQ(io::read(both.in, &c, 1).value(), 1);
    });
    lazult::this_thread::sleep_for(1ms);
    const pid_t child = ::fork();
    if (child == 0) {
        lazult::thread mine([&] {
            char c;
            ::_exit(io::read(childs.in, &c, 1).value() == 1 ? 0 : 1);
        });
        lazult::thread writer([&] {
            if (io::write(childs.out, "x", 1).value() != 1) {
                ::_exit(2);
            }
        });
        mine.join();
        ::_exit(3);
    }
    int state = 0;
    EXPECT_EQ(::waitpid(child, &state, 0), child);
    EXPECT_TRUE(WIFEXITED(state));
    EXPECT_EQ(WEXITSTATUS(state), 0);
    EXPECT_EQ(::write(both.out, "x", 1), 1);
    reader.join();
}

}  // namespace
}  // namespace lazult
