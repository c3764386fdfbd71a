// SPDX-License-Identifier: BSD-3-Clause
// Servers and clients: accept, connect, messages, errors of the other side, poll.
#include "tests/io/harness.hpp"

#include <atomic>
#include <map>
#include <thread>
#include <tuple>

#include <sys/un.h>

namespace lazult {
namespace {

using namespace lazult::testing;

class sockets : public ::testing::TestWithParam<std::tuple<int, owner>> {
protected:
    owner of() const { return std::get<1>(GetParam()); }

    int connect_to(const listener& server) {
        const int fd = of() == owner::library ? io::socket(AF_INET, SOCK_STREAM, 0).descriptor()
                                              : checked(::socket(AF_INET, SOCK_STREAM, 0));
        EXPECT_EQ(io::connect(fd, generic(server.address), sizeof server.address).value(), 0);
        return fd;
    }

    lazult::runtime running_{lazult::options{.streams = std::get<0>(GetParam())}};
};

void echo_until_the_end(int fd) {
    char buffer[6000];  // a whole message: Nagle delays the second of two small packets
    while (const std::size_t bytes = io::read(fd, buffer, sizeof buffer).bytes()) {
        EXPECT_EQ(io::write(fd, buffer, bytes).bytes(), bytes);
    }
    EXPECT_TRUE(io::close(fd).ok());
}

TEST_P(sockets, a_server_echoes_to_many_clients) {
    constexpr int clients = 200;
    listener server(of());
    std::vector<lazult::thread> all;
    lazult::thread acceptor([&] {
        std::vector<lazult::thread> served;
        for (int i = 0; i < clients; ++i) {
            const int fd = io::accept(server.fd, nullptr, nullptr).descriptor();
            served.emplace_back([fd] { echo_until_the_end(fd); });
        }
        for (lazult::thread& each : served) {
            each.join();
        }
    });
    for (int i = 0; i < clients; ++i) {
        all.emplace_back([&, i] {
            const int fd = connect_to(server);
            for (int round = 0; round < 20; ++round) {
                const std::string sent =
                    pattern(1 + static_cast<std::size_t>(i * 37 + round * 101) % 5000,
                            static_cast<unsigned>(i));
                std::string got(sent.size(), '\0');
                EXPECT_EQ(io::write(fd, sent.data(), sent.size()).bytes(), sent.size());
                EXPECT_EQ(io::read_all(fd, got.data(), got.size()).bytes(), got.size());
                EXPECT_TRUE(got == sent);
            }
            close_for(of(), fd);
        });
    }
    for (lazult::thread& each : all) {
        each.join();
    }
    acceptor.join();
}

// Each connection is accepted once, though many wait for it.
TEST_P(sockets, many_units_accept) {
    constexpr int acceptors = 20;
    constexpr int connections = 100;
    listener server(of());
    std::atomic<int> accepted{0};
    std::stop_source stop;
    std::vector<lazult::thread> all;
    for (int i = 0; i < acceptors; ++i) {
        all.emplace_back([&] {
            for (;;) {
                const io::result fd =
                    io::accept(server.fd, nullptr, nullptr, SOCK_CLOEXEC, stop.get_token());
                if (!fd) {
                    EXPECT_EQ(fd.error_number(), ECANCELED);
                    return;
                }
                ++accepted;
                EXPECT_EQ(io::write(fd.descriptor(), "x", 1).value(), 1);
                io::close(fd.descriptor());
            }
        });
    }
    in_ult([&] {
        for (int i = 0; i < connections; ++i) {
            const int fd = connect_to(server);
            char c = 0;
            EXPECT_EQ(io::read(fd, &c, 1).value(), 1);
            close_for(of(), fd);
        }
    });
    // not here: ThreadSanitizer does not know that units of one OS thread run one after the other
    std::thread([&] { stop.request_stop(); }).join();
    for (lazult::thread& each : all) {
        each.join();
    }
    EXPECT_EQ(accepted, connections);
}

TEST_P(sockets, the_peer_is_told) {
    listener server(of());
    sockaddr_in from{};
    socklen_t size = sizeof from;
    lazult::thread acceptor([&] {
        const int fd =
            io::accept(server.fd, reinterpret_cast<sockaddr*>(&from), &size).descriptor();
        io::close(fd);
    });
    in_ult([&] { close_for(of(), connect_to(server)); });
    acceptor.join();
    EXPECT_EQ(from.sin_family, AF_INET);
    EXPECT_EQ(from.sin_addr.s_addr, htonl(INADDR_LOOPBACK));
}

TEST_P(sockets, nobody_listens) {
    in_ult([&] {
        listener gone(of());
        const sockaddr_in address = gone.address;
        gone.close();
        const int fd = checked(::socket(AF_INET, SOCK_STREAM, 0));
        EXPECT_EQ(io::connect(fd, generic(address), sizeof address).error_number(), ECONNREFUSED);
        ::close(fd);
    });
}

// A backlog that is full: the connection comes when somebody accepts.
TEST_P(sockets, a_local_server_that_is_busy) {
    const int server = checked(::socket(AF_UNIX, SOCK_STREAM, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string name = "lazult-io-" + std::to_string(::getpid()) + "-" +
                             std::to_string(std::get<0>(GetParam())) +
                             (of() == owner::library ? "o" : "p");
    name.copy(address.sun_path + 1, sizeof address.sun_path - 1);
    const auto* const where = reinterpret_cast<const sockaddr*>(&address);
    ASSERT_EQ(::bind(server, where, sizeof address), 0);
    ASSERT_EQ(::listen(server, 0), 0);
    std::vector<lazult::thread> all;
    for (int i = 0; i < 8; ++i) {
        all.emplace_back([&] {
            const int fd = checked(::socket(AF_UNIX, SOCK_STREAM, 0));
            EXPECT_EQ(io::connect(fd, where, sizeof address).error_number(), 0);
            char c = 0;
            EXPECT_EQ(io::read(fd, &c, 1).value(), 1);
            ::close(fd);
        });
    }
    lazult::this_thread::sleep_for(5ms);
    in_ult([&] {
        for (int i = 0; i < 8; ++i) {
            const int fd = io::accept(server, nullptr, nullptr).descriptor();
            EXPECT_EQ(io::write(fd, "x", 1).value(), 1);
            io::close(fd);
        }
    });
    for (lazult::thread& each : all) {
        each.join();
    }
    ::close(server);
}

// The server's queue is full, so the connection is under way until the server closes. The kernel
// tells the error once, and here another thread may hear of it first.
TEST(connections, end_also_if_somebody_else_reads_their_error) {
    const lazult::runtime running{lazult::options{.streams = 1}};
    listener server(owner::program, 0);
    const sockaddr_in address = server.address;
    std::vector<int> before;
    for (int i = 0; i < 4; ++i) {
        before.push_back(checked(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0)));
        ::connect(before.back(), generic(address), sizeof address);
    }
    const int fd = checked(::socket(AF_INET, SOCK_STREAM, 0));
    std::atomic<bool> is_over{false};
    lazult::thread client([&] {
        const io::result ended = io::connect(fd, generic(address), sizeof address, 20s);
        const bool has_failed =
            ended.error_number() == ECONNABORTED || ended.error_number() == ECONNREFUSED;
        EXPECT_TRUE(has_failed) << ended.error_number();
        is_over = true;
    });
    std::thread other([&] {
        std::this_thread::sleep_for(10ms);
        server.close();
        for (int error = 0; error == 0 && !is_over;) {
            socklen_t size = sizeof error;
            ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
        }
    });
    client.join();
    other.join();
    ::close(fd);
    for (const int each : before) {
        ::close(each);
    }
}

TEST_P(sockets, a_reset_reaches_the_reader) {
    ends both = make_connection(of());
    lazult::thread reader([&] {
        char c;
        EXPECT_EQ(io::read(both.in, &c, 1).error_number(), ECONNRESET);
    });
    lazult::this_thread::sleep_for(1ms);
    const linger now{1, 0};
    ::setsockopt(both.out, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    both.close_out();
    reader.join();
}

TEST_P(sockets, a_half_closed_connection_still_carries_the_other_way) {
    ends both = make_connection(of());
    lazult::thread reader([&] {
        char buffer[16];
        EXPECT_EQ(io::read(both.in, buffer, sizeof buffer).value(), 3);
        EXPECT_EQ(io::read(both.in, buffer, sizeof buffer).value(), 0);
        EXPECT_EQ(io::write(both.in, "back", 4).value(), 4);
    });
    lazult::this_thread::sleep_for(1ms);
    EXPECT_EQ(::send(both.out, "abc", 3, 0), 3);
    ::shutdown(both.out, SHUT_WR);
    in_ult([&] {
        char buffer[16];
        EXPECT_EQ(io::read(both.out, buffer, sizeof buffer).value(), 4);
    });
    reader.join();
}

// A read stops at urgent data, though more bytes have come.
TEST_P(sockets, urgent_data_does_not_hide_what_is_behind_it) {
    for (int round = 0; round < 50; ++round) {
        ends both = make_connection(of());
        lazult::thread reader([&] {
            std::string all;
            char buffer[16];
            while (const std::size_t bytes = io::read(both.in, buffer, sizeof buffer).bytes()) {
                all.append(buffer, bytes);
            }
            EXPECT_EQ(all, "frontback");
        });
        if (round % 2 == 0) {
            lazult::this_thread::sleep_for(std::chrono::microseconds(100));
        }
        EXPECT_EQ(::send(both.out, "front", 5, 0), 5);
        EXPECT_EQ(::send(both.out, "!", 1, MSG_OOB), 1);
        EXPECT_EQ(::send(both.out, "back", 4, 0), 4);
        lazult::this_thread::sleep_for(std::chrono::microseconds(100));
        both.close_out();
        reader.join();
    }
}

TEST_P(sockets, datagrams_stay_apart) {
    const int server = checked(::socket(AF_INET, SOCK_DGRAM, 0));
    sockaddr_in address = loopback();
    ASSERT_EQ(::bind(server, generic(address), sizeof address), 0);
    socklen_t size = sizeof address;
    ASSERT_EQ(::getsockname(server, reinterpret_cast<sockaddr*>(&address), &size), 0);
    if (of() == owner::library) {
        ASSERT_TRUE(io::adopt(server).ok());
    }
    lazult::thread reader([&] {
        for (int i = 1; i <= 100; ++i) {
            char buffer[200];
            sockaddr_in from{};
            socklen_t from_size = sizeof from;
            EXPECT_EQ(io::recvfrom(server, buffer, sizeof buffer, 0,
                                   reinterpret_cast<sockaddr*>(&from), &from_size)
                          .value(),
                      i);
            EXPECT_EQ(from.sin_family, AF_INET);
        }
    });
    in_ult([&] {
        const int fd = checked(::socket(AF_INET, SOCK_DGRAM, 0));
        const std::string bytes = pattern(200);
        for (int i = 1; i <= 100; ++i) {
            EXPECT_EQ(io::sendto(fd, bytes.data(), static_cast<std::size_t>(i), 0, generic(address),
                                 sizeof address)
                          .value(),
                      i);
            if (i % 7 == 0) {
                lazult::this_thread::yield();
            }
        }
        ::close(fd);
    });
    reader.join();
    close_for(of(), server);
}

TEST_P(sockets, flags_mean_what_they_say) {
    ends both = make_connection(of());
    in_ult([&] {
        char buffer[8] = {};
        EXPECT_EQ(io::recv(both.in, buffer, 4, MSG_DONTWAIT).error_number(), EAGAIN);
        lazult::thread writer([&] {
            EXPECT_EQ(io::send(both.out, "ab", 2, 0).value(), 2);
            lazult::this_thread::sleep_for(1ms);
            EXPECT_EQ(io::send(both.out, "cdef", 4, 0).value(), 4);
        });
        EXPECT_EQ(io::recv(both.in, buffer, 8, MSG_PEEK).value(), 2);
        EXPECT_EQ(io::recv(both.in, buffer, 4, MSG_WAITALL).value(), 4);
        EXPECT_EQ(std::string(buffer, 4), "abcd");
        EXPECT_EQ(io::recv(both.in, buffer, 8, 0).value(), 2);
        writer.join();
    });
}

TEST_P(sockets, poll_finds_the_one_that_is_ready) {
    constexpr int count = 100;
    std::vector<ends> all;
    for (int i = 0; i < count; ++i) {
        all.push_back(make_socket_pair(of()));
    }
    lazult::thread poller([&] {
        std::vector<pollfd> wanted;
        for (const ends& each : all) {
            wanted.push_back({each.in, POLLIN, 0});
        }
        wanted.push_back({-1, POLLIN, 0});
        for (int i = 0; i < count; ++i) {
            EXPECT_EQ(io::poll(wanted).value(), 1);
            for (pollfd& each : wanted) {
                if (each.revents != 0) {
                    char c = 0;
                    EXPECT_EQ(each.revents, POLLIN);
                    EXPECT_EQ(io::read(each.fd, &c, 1).value(), 1);
                }
            }
        }
        EXPECT_EQ(io::poll(wanted, 1ms).value(), 0);
    });
    in_ult([&] {
        for (int i = 0; i < count; ++i) {
            const auto at = static_cast<std::size_t>(i * 37 % count);
            EXPECT_EQ(io::write(all[at].out, "x", 1).value(), 1);
            pollfd unread{all[at].in, POLLIN, 0};
            while (::poll(&unread, 1, 0) == 1) {
                lazult::this_thread::yield();
            }
        }
    });
    poller.join();
}

TEST_P(sockets, pollers_leave_readers_their_wake_ups) {
    ends both = make_socket_pair(of());
    std::atomic<int> ready{0};
    std::vector<lazult::thread> all;
    for (int i = 0; i < 10; ++i) {
        all.emplace_back([&] {
            EXPECT_EQ(io::await_readable(both.in).value(), 0);
            ++ready;
        });
    }
    lazult::this_thread::sleep_for(2ms);
    EXPECT_EQ(::write(both.out, "x", 1), 1);
    for (lazult::thread& each : all) {
        each.join();
    }
    EXPECT_EQ(ready, 10);
}

INSTANTIATE_TEST_SUITE_P(
    all, sockets,
    ::testing::Combine(::testing::Values(1, 2), ::testing::Values(owner::program, owner::library)),
    [](const ::testing::TestParamInfo<std::tuple<int, owner>>& info) {
        return std::string(std::get<1>(info.param) == owner::library ? "owned" : "plain") + "_on_" +
               std::to_string(std::get<0>(info.param));
    });

}  // namespace
}  // namespace lazult
