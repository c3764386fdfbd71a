// SPDX-License-Identifier: BSD-3-Clause
// Faults that a review found: each test failed before its mend, or shows that a race of several
// streams for one descriptor loses nothing.
#include "tests/io/harness.hpp"

#include <fcntl.h>
#include <sys/un.h>
#include <atomic>

namespace lazult {
namespace {

using namespace lazult::testing;

class races : public ::testing::TestWithParam<owner> {
protected:
    lazult::runtime running_{lazult::options{.streams = 4}};
};

// Units of several streams wait for one descriptor in turn, so its watcher changes all the time.
// The byte is always read long before the limit.
TEST_P(races, a_descriptor_that_changes_its_watcher_is_heard_of) {
    constexpr int pairs = 8;
    constexpr int bytes = 400;
    std::vector<ends> all;
    for (int i = 0; i < pairs; ++i) {
        all.push_back(make_socket_pair(GetParam()));
    }
    std::atomic<int> late{0};
    std::atomic<bool> is_over{false};
    std::vector<lazult::thread> units;
    std::vector<lazult::thread> lookers;
    for (const ends& each : all) {
        units.emplace_back([&, fd = each.in] {
            for (int i = 0; i < bytes; ++i) {
                char c;
                late += !io::read(fd, &c, 1, 2s).ok();
            }
        });
        for (int k = 0; k < 2; ++k) {
            lookers.emplace_back([&, fd = each.in] {
                while (!is_over) {
                    char c;
                    io::recv(fd, &c, 1, MSG_PEEK, 30us);
                    lazult::this_thread::yield();
                }
            });
        }
    }
    std::thread writer([&] {
        for (int i = 0; i < bytes; ++i) {
            for (const ends& each : all) {
                EXPECT_EQ(::send(each.out, "x", 1, 0), 1);
            }
            std::this_thread::sleep_for(200us);
        }
    });
    for (lazult::thread& each : units) {
        each.join();
    }
    is_over = true;
    for (lazult::thread& each : lookers) {
        each.join();
    }
    writer.join();
    EXPECT_EQ(late, 0);
}

TEST_P(races, a_poll_ends_in_time_beside_readers) {
    ends both = make_socket_pair(GetParam());
    std::atomic<bool> is_over{false};
    std::vector<lazult::thread> readers;
    for (int i = 0; i < 4; ++i) {
        readers.emplace_back([&] {
            while (!is_over) {
                char c;
                io::read(both.in, &c, 1, 50us);
            }
        });
    }
    std::thread writer([&] {
        while (!is_over) {
            EXPECT_EQ(::send(both.out, "x", 1, 0), 1);
            std::this_thread::sleep_for(50us);
        }
    });
    for (int i = 0; i < 50; ++i) {
        in_ult([&] {
            const auto begin = std::chrono::steady_clock::now();
            pollfd wanted{both.in, POLLIN, 0};
            EXPECT_GE(io::poll({&wanted, 1}, 5ms).value(), 0);
            EXPECT_LT(seconds_since(begin), 1.0);
        });
    }
    is_over = true;
    for (lazult::thread& each : readers) {
        each.join();
    }
    writer.join();
}

// Readers come while others close: each ends, and none reads another descriptor.
TEST_P(races, readers_that_come_while_it_is_closed_end) {
    if (probe::tsan) {
        GTEST_SKIP() << closing_beside_readers;
    }
    for (int round = 0; round < 200; ++round) {
        ends both = make_socket_pair(GetParam());
        std::vector<lazult::thread> readers;
        for (int i = 0; i < 4; ++i) {
            readers.emplace_back([&, fd = both.in] {
                char c;
                int error = 0;
                while ((error = io::read(fd, &c, 1, 2s).error_number()) == 0) {
                }
                // A reader that begins after the close may meet the epoll descriptor (EINVAL) or
                // the eventfd (ETIMEDOUT) of a stream's new port, which has taken the number.
                EXPECT_TRUE(error == EBADF || error == EINVAL || error == ETIMEDOUT) << error;
            });
        }
        EXPECT_EQ(::send(both.out, "abcdefgh", 8, 0), 8);
        lazult::this_thread::yield();
        in_ult([&] { EXPECT_TRUE(io::close(std::exchange(both.in, -1)).ok()); });
        for (lazult::thread& each : readers) {
            each.join();
        }
    }
}

// A number may be given away while io::close is still at work on what had it before. Its new owner
// does not notice.
TEST_P(races, a_number_that_comes_again_at_once_is_not_closed) {
    if (probe::tsan) {
        GTEST_SKIP() << closing_beside_readers;
    }
    std::atomic<bool> is_over{false};
    std::vector<lazult::thread> closers;
    for (int i = 0; i < 2; ++i) {
        closers.emplace_back([&] {
            while (!is_over) {
                ends both = make_socket_pair(owner::library);
                lazult::this_thread::yield();
            }
        });
    }
    std::vector<lazult::thread> users;
    std::atomic<int> errors{0};
    for (int i = 0; i < 2; ++i) {
        users.emplace_back([&] {
            for (int round = 0; round < 20'000 && errors == 0; ++round) {
                ends both = make_pipe(GetParam());
                char c = 0;
                pollfd wanted{both.in, POLLIN, 0};
                errors += !io::write(both.out, "x", 1).ok();
                errors += !io::poll({&wanted, 1}, 1s).ok();
                errors += !io::read(both.in, &c, 1, 1s).ok();
            }
        });
    }
    for (lazult::thread& each : users) {
        each.join();
    }
    is_over = true;
    for (lazult::thread& each : closers) {
        each.join();
    }
    EXPECT_EQ(errors, 0);
}

TEST_P(races, a_poll_of_a_pipe_and_a_file_ends) {
    ends both = make_pipe(GetParam());
    lazult::thread poller([&] {
        const int file = io::open("/proc/self/exe", O_RDONLY).descriptor();
        pollfd wanted[] = {{both.in, POLLIN, 0}, {file, 0, 0}};
        EXPECT_EQ(io::poll(wanted).value(), 1);
        EXPECT_EQ(wanted[0].revents, POLLIN);
        io::close(file);
    });
    lazult::this_thread::sleep_for(2ms);
    EXPECT_EQ(::write(both.out, "x", 1), 1);
    poller.join();
}

TEST_P(races, packets_of_a_pipe_are_read_one_after_the_other) {
    ends both = make_pipe(GetParam(), O_DIRECT);
    in_ult([&] {
        char buffer[100];
        EXPECT_EQ(io::read(both.in, buffer, sizeof buffer, 1ms).error_number(), ETIMEDOUT);
        for (int round = 0; round < 10; ++round) {
            EXPECT_EQ(::write(both.out, "ab", 2), 2);
            EXPECT_EQ(::write(both.out, "cde", 3), 3);
            EXPECT_EQ(io::read(both.in, buffer, sizeof buffer, 1s).value(), 2);
            EXPECT_EQ(io::read(both.in, buffer, sizeof buffer, 1s).value(), 3);
        }
    });
}

TEST_P(races, nothing_to_move_needs_no_wait) {
    ends both = make_pipe(GetParam());
    in_ult([&] {
        char c;
        EXPECT_EQ(io::read(both.in, &c, 1, 1ms).error_number(), ETIMEDOUT);
        EXPECT_EQ(io::read(both.in, &c, 0).value(), 0);
        EXPECT_EQ(io::pread(both.in, &c, 1, 0).error_number(), ESPIPE);
        EXPECT_EQ(io::write(both.in, &c, 1).error_number(), EBADF);
    });
}

TEST_P(races, flags_of_streams_and_datagrams_differ) {
    ends datagrams = make_socket_pair(GetParam(), SOCK_DGRAM);
    ends stream = make_socket_pair(GetParam());
    in_ult([&] {
        char buffer[16];
        EXPECT_EQ(::send(datagrams.out, "ab", 2, 0), 2);
        EXPECT_EQ(io::recv(datagrams.in, buffer, 4, MSG_WAITALL).value(), 2);
        EXPECT_EQ(io::recv(stream.in, buffer, 4, MSG_ERRQUEUE).error_number() == 0, false);
        lazult::thread writer([&] {
            EXPECT_EQ(io::send(stream.out, "ab", 2, 0).value(), 2);
            lazult::this_thread::sleep_for(1ms);
            EXPECT_EQ(io::send(stream.out, "cd", 2, 0).value(), 2);
        });
        EXPECT_EQ(io::recvfrom(stream.in, buffer, 4, MSG_WAITALL, nullptr, nullptr).value(), 4);
        writer.join();
        msghdr message{};
        EXPECT_EQ(io::recvmsg(stream.in, &message, MSG_WAITALL).error_number(), EOPNOTSUPP);
    });
}

TEST_P(races, adopting_again_changes_nothing) {
    ends both = make_socket_pair(GetParam());
    lazult::thread reader([&] {
        char c;
        EXPECT_EQ(io::read(both.in, &c, 1).value(), 1);
    });
    lazult::this_thread::sleep_for(1ms);
    if (GetParam() == owner::library) {
        EXPECT_TRUE(io::adopt(both.in).ok());
    }
    EXPECT_EQ(::send(both.out, "x", 1, 0), 1);
    reader.join();
}

// The queue of the receiver is full: the sender sleeps between its tries.
TEST_P(races, a_sender_to_a_full_local_socket_does_not_spin) {
    const int receiver = checked(::socket(AF_UNIX, SOCK_DGRAM, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string name = "lazult-full-" + std::to_string(::getpid());
    name.copy(address.sun_path + 1, sizeof address.sun_path - 1);
    const auto* const where = reinterpret_cast<const sockaddr*>(&address);
    ASSERT_EQ(::bind(receiver, where, sizeof address), 0);
    const int sender = checked(::socket(AF_UNIX, SOCK_DGRAM, 0));
    while (::sendto(sender, "x", 1, MSG_DONTWAIT, where, sizeof address) == 1) {
    }
    const double before = cpu_seconds();
    in_ult([&] {
        EXPECT_EQ(io::sendto(sender, "x", 1, 0, where, sizeof address, 200ms).error_number(),
                  ETIMEDOUT);
    });
    EXPECT_LT(cpu_seconds() - before, 0.1);
    ::close(sender);
    ::close(receiver);
}

TEST_P(races, close_ends_an_accept) {
    if (probe::tsan) {
        GTEST_SKIP() << closing_beside_readers;
    }
    listener server(GetParam());
    const auto accept = [fd = server.fd] {
        EXPECT_EQ(io::accept(fd, nullptr, nullptr).error_number(), EBADF);
    };
    lazult::thread acceptor(accept);
    lazult::thread second(accept);
    lazult::this_thread::sleep_for(2ms);
    in_ult([&] { EXPECT_TRUE(io::close(std::exchange(server.fd, -1)).ok()); });
    acceptor.join();
    second.join();
}

INSTANTIATE_TEST_SUITE_P(all, races, ::testing::Values(owner::program, owner::library),
                         [](const ::testing::TestParamInfo<owner>& info) {
                             return info.param == owner::library ? "owned" : "plain";
                         });

}  // namespace
}  // namespace lazult
