// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes of pipes, socket pairs and connections: nothing is lost, and nobody else waits.
#include "tests/io/harness.hpp"

#include <fcntl.h>
#include <atomic>
#include <csignal>
#include <functional>
#include <mutex>
#include <tuple>

namespace lazult {
namespace {

using namespace lazult::testing;

enum class channel { pipe, socket_pair, connection };

class transfers : public ::testing::TestWithParam<std::tuple<int, owner, channel>> {
protected:
    ends make() {
        switch (std::get<2>(GetParam())) {
            case channel::pipe: return make_pipe(of());
            case channel::socket_pair: return make_socket_pair(of());
            case channel::connection: break;
        }
        return make_connection(of());
    }
    owner of() const { return std::get<1>(GetParam()); }
    bool is_pipe() const { return std::get<2>(GetParam()) == channel::pipe; }

    lazult::runtime running_{lazult::options{.streams = std::get<0>(GetParam())}};
};

TEST_P(transfers, a_reader_gets_what_a_writer_writes_later) {
    ends both = make();
    std::string got(5, '\0');
    lazult::thread reader([&] { EXPECT_EQ(io::read(both.in, got.data(), got.size()).value(), 5); });
    lazult::this_thread::yield();
    in_ult([&] { EXPECT_EQ(io::write(both.out, "hello", 5).value(), 5); });
    reader.join();
    EXPECT_EQ(got, "hello");
}

TEST_P(transfers, other_units_run_while_a_reader_waits) {
    ends both = make();
    std::atomic<bool> has_read{false};
    lazult::thread reader([&] {
        char c = 0;
        EXPECT_EQ(io::read(both.in, &c, 1).value(), 1);
        has_read = true;
    });
    int steps = 0;
    in_ult([&] {
        for (; steps < 1000; ++steps) {
            lazult::this_thread::yield();
        }
    });
    EXPECT_FALSE(has_read);
    EXPECT_EQ(steps, 1000);
    EXPECT_EQ(::write(both.out, "x", 1), 1);
    reader.join();
}

// More than the kernel buffers: the writer waits for the reader, again and again.
TEST_P(transfers, a_long_write_is_whole) {
    ends both = make();
    const std::string sent = pattern(8 << 20);
    std::string got(sent.size(), '\0');
    lazult::thread writer([&] {
        EXPECT_EQ(io::write(both.out, sent.data(), sent.size()).bytes(), sent.size());
        both.close_out();
    });
    in_ult([&] {
        EXPECT_EQ(io::read_all(both.in, got.data(), got.size()).bytes(), got.size());
        char more;
        EXPECT_EQ(io::read(both.in, &more, 1).value(), 0);
    });
    writer.join();
    EXPECT_TRUE(got == sent);
}

TEST_P(transfers, vectors_are_whole_and_in_order) {
    ends both = make();
    std::string sent = pattern(3 << 20, 7);
    std::vector<iovec> parts;
    for (std::size_t at = 0, next = 0; at < sent.size(); at = next) {
        next = std::min(sent.size(), at + 1 + at % 70'001);
        parts.push_back({sent.data() + at, next - at});
    }
    ASSERT_GT(parts.size(), 32U);
    lazult::thread writer([&] {
        EXPECT_EQ(io::writev(both.out, parts).bytes(), sent.size());
        both.close_out();
    });
    std::string got;
    in_ult([&] {
        std::string first(1000, '\0');
        std::string second(70'000, '\0');
        const iovec into[] = {{first.data(), first.size()}, {second.data(), second.size()}};
        for (;;) {
            const std::size_t bytes = io::readv(both.in, into).bytes();
            if (bytes == 0) {
                break;
            }
            got += first.substr(0, bytes);
            if (bytes > first.size()) {
                got += second.substr(0, bytes - first.size());
            }
        }
    });
    writer.join();
    EXPECT_TRUE(got == sent);
}

TEST_P(transfers, the_end_of_the_writer_ends_a_waiting_reader) {
    ends both = make();
    lazult::thread reader([&] {
        char c;
        EXPECT_EQ(io::read(both.in, &c, 1).value(), 0);
    });
    lazult::this_thread::sleep_for(1ms);
    both.close_out();
    reader.join();
}

TEST_P(transfers, what_came_before_the_end_is_read_before_it) {
    for (int round = 0; round < 200; ++round) {
        ends both = make();
        lazult::thread reader([&] {
            std::string got(64, '\0');
            std::string all;
            for (;;) {
                const std::size_t bytes = io::read(both.in, got.data(), got.size()).bytes();
                if (bytes == 0) {
                    break;
                }
                all += got.substr(0, bytes);
            }
            EXPECT_EQ(all, "first second");
        });
        if (round % 2 == 0) {
            lazult::this_thread::yield();
        }
        EXPECT_EQ(::write(both.out, "first ", 6), 6);
        if (round % 3 == 0) {
            lazult::this_thread::yield();
        }
        EXPECT_EQ(::write(both.out, "second", 6), 6);
        both.close_out();
        reader.join();
    }
}

TEST_P(transfers, a_write_to_nobody_is_an_error) {
    std::signal(SIGPIPE, SIG_IGN);
    ends both = make();
    both.close_in();
    in_ult([&] {
        const std::string much = pattern(1 << 20);
        int error = 0;
        for (int i = 0; i < 100 && error == 0; ++i) {
            error = io::write(both.out, much.data(), much.size()).error_number();
        }
        EXPECT_TRUE(error == EPIPE || error == ECONNRESET) << error;
    });
}

// Each byte is read once: the readers share one descriptor.
TEST_P(transfers, many_readers_share_a_descriptor) {
    constexpr int readers = 50;
    constexpr int bytes = 5000;
    ends both = make();
    std::atomic<int> got{0};
    std::vector<lazult::thread> all;
    for (int i = 0; i < readers; ++i) {
        all.emplace_back([&] {
            char some[7];
            while (const std::int64_t n = io::read(both.in, some, sizeof some).value()) {
                got += static_cast<int>(n);
                lazult::this_thread::yield();
            }
        });
    }
    in_ult([&] {
        for (int i = 0; i < bytes; ++i) {
            EXPECT_EQ(io::write(both.out, "x", 1).value(), 1);
            if (i % 64 == 0) {
                lazult::this_thread::yield();
            }
        }
        both.close_out();
    });
    for (lazult::thread& each : all) {
        each.join();
    }
    EXPECT_EQ(got, bytes);
}

TEST_P(transfers, pairs_play_ping_pong) {
    constexpr int pairs = 20;
    constexpr int rounds = 300;
    std::vector<std::pair<ends, ends>> ways;
    for (int i = 0; i < pairs; ++i) {
        ends there = make();
        ways.emplace_back(std::move(there), make());
    }
    std::vector<lazult::thread> all;
    for (auto& way : ways) {
        all.emplace_back([&way] {
            for (int i = 0; i < rounds; ++i) {
                EXPECT_EQ(io::write(way.first.out, &i, sizeof i).bytes(), sizeof i);
                int back = -1;
                EXPECT_EQ(io::read_all(way.second.in, &back, sizeof back).bytes(), sizeof back);
                EXPECT_EQ(back, i + 1);
            }
        });
        all.emplace_back([&way] {
            for (int i = 0; i < rounds; ++i) {
                int come = -1;
                EXPECT_EQ(io::read_all(way.first.in, &come, sizeof come).bytes(), sizeof come);
                ++come;
                EXPECT_EQ(io::write(way.second.out, &come, sizeof come).bytes(), sizeof come);
            }
        });
    }
    for (lazult::thread& each : all) {
        each.join();
    }
}

// An OS thread outside the streams blocks, a ULT suspends.
TEST_P(transfers, os_threads_and_units_talk) {
    constexpr int rounds = 500;
    ends there = make();
    ends back = make();
    std::thread outside([&] {
        for (int i = 0; i < rounds; ++i) {
            int come = 0;
            EXPECT_EQ(io::read_all(there.in, &come, sizeof come).bytes(), sizeof come);
            EXPECT_EQ(io::write(back.out, &come, sizeof come).bytes(), sizeof come);
        }
    });
    in_ult([&] {
        for (int i = 0; i < rounds; ++i) {
            int come = -1;
            EXPECT_EQ(io::write(there.out, &i, sizeof i).bytes(), sizeof i);
            EXPECT_EQ(io::read_all(back.in, &come, sizeof come).bytes(), sizeof come);
            EXPECT_EQ(come, i);
        }
    });
    outside.join();
}

TEST_P(transfers, a_tasklet_is_told_that_it_cannot_wait) {
    ends both = make();
    int error = 0;
    std::int64_t moved = 0;
    lazult::tasklet([&] {
        char c;
        error = io::read(both.in, &c, 1).error_number();
        EXPECT_EQ(::write(both.out, "x", 1), 1);
        moved = io::read(both.in, &c, 1).value();
    }).join();
    EXPECT_EQ(error, EDEADLK);
    EXPECT_EQ(moved, 1);
}

TEST_P(transfers, descriptors_in_nonblocking_mode_suspend_too) {
    ends both = make();
    EXPECT_EQ(::fcntl(both.in, F_SETFL, ::fcntl(both.in, F_GETFL) | O_NONBLOCK), 0);
    lazult::thread reader([&] {
        char c = 0;
        EXPECT_EQ(io::read(both.in, &c, 1).value(), 1);
    });
    lazult::this_thread::sleep_for(1ms);
    EXPECT_EQ(::write(both.out, "x", 1), 1);
    reader.join();
    EXPECT_NE(::fcntl(both.in, F_GETFL) & O_NONBLOCK, 0);
    EXPECT_EQ(::fcntl(both.out, F_GETFL) & O_NONBLOCK, 0);
}

std::string name_of(const ::testing::TestParamInfo<transfers::ParamType>& info) {
    static constexpr const char* channels[] = {"pipe", "socket_pair", "connection"};
    return std::string(channels[static_cast<int>(std::get<2>(info.param))]) +
           (std::get<1>(info.param) == owner::library ? "_owned" : "_plain") + "_on_" +
           std::to_string(std::get<0>(info.param));
}

INSTANTIATE_TEST_SUITE_P(
    all, transfers,
    ::testing::Combine(::testing::Values(1, 2), ::testing::Values(owner::program, owner::library),
                       ::testing::Values(channel::pipe, channel::socket_pair, channel::connection)),
    name_of);

// Show 1 of the issue this came with: 64 readers on one stream, and 2,000 in reverse order.
class readers : public ::testing::TestWithParam<owner> {
protected:
    lazult::runtime running_{lazult::options{.streams = 1}};
};

TEST_P(readers, that_wait_together_take_no_longer_than_one) {
    constexpr int count = 64;
    std::vector<ends> pipes;
    for (int i = 0; i < count; ++i) {
        pipes.push_back(make_pipe(GetParam()));
    }
    std::vector<lazult::thread> all;
    const auto begin = std::chrono::steady_clock::now();
    for (const ends& each : pipes) {
        all.emplace_back([&each] {
            char c = 0;
            EXPECT_EQ(io::read(each.in, &c, 1).value(), 1);
        });
    }
    std::thread writer([&] {
        std::this_thread::sleep_for(20ms);
        for (const ends& each : pipes) {
            EXPECT_EQ(::write(each.out, "x", 1), 1);
        }
    });
    for (lazult::thread& each : all) {
        each.join();
    }
    writer.join();
    // 20 ms are the writer's; one after the other they would need 1,280 ms
    EXPECT_LT(seconds_since(begin), 0.4);
}

TEST_P(readers, are_served_in_the_order_of_writes) {
    constexpr int count = 2000;
    std::vector<ends> pipes;
    for (int i = 0; i < count; ++i) {
        pipes.push_back(make_pipe(GetParam()));
    }
    std::vector<lazult::thread> all;
    std::atomic<int> last{count};
    std::atomic<int> out_of_turn{0};
    for (int i = 0; i < count; ++i) {
        all.emplace_back([&, i] {
            char c = 0;
            EXPECT_EQ(io::read(pipes[static_cast<std::size_t>(i)].in, &c, 1).value(), 1);
            out_of_turn += last.exchange(i) != i + 1;
        });
    }
    lazult::this_thread::sleep_for(1ms);
    in_ult([&] {
        for (int i = count - 1; i >= 0; --i) {
            EXPECT_EQ(io::write(pipes[static_cast<std::size_t>(i)].out, "x", 1).value(), 1);
            while (last > i) {
                lazult::this_thread::yield();
            }
        }
    });
    for (lazult::thread& each : all) {
        each.join();
    }
    EXPECT_EQ(out_of_turn, 0);
}

INSTANTIATE_TEST_SUITE_P(all, readers, ::testing::Values(owner::program, owner::library),
                         [](const ::testing::TestParamInfo<owner>& info) {
                             return info.param == owner::library ? "owned" : "plain";
                         });

}  // namespace
}  // namespace lazult
