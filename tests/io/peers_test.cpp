// SPDX-License-Identifier: BSD-3-Clause
// What the other side of a connection may do: reset it in the middle, take and give little at a
// time, go away.
#include "tests/io/faults.hpp"

namespace lazult {
namespace {

using namespace lazult::testing;

enum class caller { unit, os_thread };

class peers : public ::testing::TestWithParam<std::tuple<caller, owner>> {
protected:
    static owner of() { return std::get<1>(GetParam()); }
    // Runs f in a ULT or in an OS thread that is no stream.
    template <class F>
    static void call(F f) {
        if (std::get<0>(GetParam()) == caller::unit) {
            in_ult(f);
        } else {
            std::thread(f).join();
        }
    }

    lazult::runtime running_{lazult::options{.streams = 2}};
};

// The descriptor's close resets the connection.
void reset_by_close(int fd) {
    const linger at_once{1, 0};
    EXPECT_EQ(::setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), 0);
}

// The sender's buffer is as small as the kernel lets it be.
void shrink_buffer(int fd) {
    const int least = 1;
    EXPECT_EQ(::setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &least, sizeof least), 0);
}

TEST_P(peers, a_reset_ends_a_large_write) {
    constexpr std::size_t taken = 100'000;
    const std::string sent = pattern(64 << 20);
    for (const bool as_message : {false, true}) {
        ends both = make_connection(of());
        std::string got(taken, '\0');
        std::thread peer([&] {
            EXPECT_EQ(::recv(both.in, got.data(), taken, MSG_WAITALL), ssize_t{taken});
            reset_by_close(both.in);
            ::shutdown(both.in, SHUT_RD);
            both.close_in();
        });
        call([&] {
            const auto write = [&] {
                return as_message ? io::send(both.out, sent.data(), sent.size(), 0)
                                  : io::write(both.out, sent.data(), sent.size());
            };
            const io::result first = write();
            EXPECT_GE(first.value(), std::int64_t{taken});
            EXPECT_LT(first.value(), static_cast<std::int64_t>(sent.size()));
            const int error = write().error_number();
            EXPECT_TRUE(error == ECONNRESET || error == EPIPE) << error;
            EXPECT_EQ(write().error_number(), EPIPE);
        });
        peer.join();
        EXPECT_TRUE(got == sent.substr(0, taken));
    }
}

TEST_P(peers, a_reset_ends_a_read) {
    for (const bool with_time : {false, true}) {
        ends both = make_connection(of());
        std::thread peer([&] {
            std::this_thread::sleep_for(2ms);
            reset_by_close(both.out);
            both.close_out();
        });
        call([&] {
            char c[100];
            const io::limits until = with_time ? io::limits(10s) : io::limits();
            EXPECT_EQ(io::read_all(both.in, c, sizeof c, until).error_number(), ECONNRESET);
            EXPECT_EQ(io::read(both.in, c, 1, until).value(), 0);
            EXPECT_EQ(io::write(both.in, c, 1, until).error_number(), EPIPE);
        });
        peer.join();
    }
}

// A peer in nonblocking mode that takes and gives some bytes now and then.
TEST_P(peers, that_take_little_at_a_time_get_all) {
    const std::string sent = pattern(300'000);
    for (const bool is_local : {false, true}) {
        for (const bool is_nonblocking : {false, true}) {
            const ends both = is_local ? make_socket_pair(of()) : make_connection(of());
            shrink_buffer(both.out);
            ::fcntl(both.in, F_SETFL, O_NONBLOCK);
            ::fcntl(both.out, F_SETFL, is_nonblocking ? O_NONBLOCK : 0);
            std::string got;
            std::thread peer([&] {
                char some[3000];
                for (unsigned round = 1; got.size() < sent.size(); ++round) {
                    pollfd one{both.in, POLLIN, 0};
                    ::poll(&one, 1, 10'000);
                    const ssize_t n = ::read(both.in, some, 1 + round * 7 % sizeof some);
                    if (n == 0 || (n < 0 && errno != EAGAIN)) {
                        break;
                    }
                    got.append(some, n < 0 ? 0 : static_cast<std::size_t>(n));
                }
            });
            call([&] {
                const std::size_t half = sent.size() / 2;
                const iovec parts[] = {{const_cast<char*>(sent.data()), 1000},
                                       {const_cast<char*>(sent.data()) + 1000, half - 1000}};
                EXPECT_EQ(io::writev(both.out, parts).value(), static_cast<std::int64_t>(half));
                EXPECT_EQ(io::send(both.out, sent.data() + half, half, 0).value(),
                          static_cast<std::int64_t>(half));
            });
            ::shutdown(both.out, SHUT_WR);
            peer.join();
            EXPECT_TRUE(got == sent);
        }
    }
}

TEST_P(peers, that_give_little_at_a_time_are_read_to_the_end) {
    const std::string sent = pattern(100'000);
    for (const bool is_local : {false, true}) {
        const ends both = is_local ? make_socket_pair(of()) : make_connection(of());
        shrink_buffer(both.out);
        ::fcntl(both.out, F_SETFL, O_NONBLOCK);
        std::thread peer([&] {
            for (std::size_t done = 0, round = 1; done < sent.size(); ++round) {
                pollfd one{both.out, POLLOUT, 0};
                ::poll(&one, 1, 10'000);
                const std::size_t some = std::min(1 + round * 5 % 700, sent.size() - done);
                const ssize_t n = ::send(both.out, sent.data() + done, some, MSG_NOSIGNAL);
                EXPECT_TRUE(n > 0 || errno == EAGAIN);
                done += n < 0 ? 0 : static_cast<std::size_t>(n);
            }
        });
        call([&] {
            const std::size_t half = sent.size() / 2;
            std::string got(sent.size(), '\0');
            EXPECT_EQ(io::read_all(both.in, got.data(), half).bytes(), half);
            EXPECT_EQ(io::recv(both.in, got.data() + half, half, MSG_WAITALL).bytes(), half);
            EXPECT_TRUE(got == sent);
        });
        peer.join();
    }
}

INSTANTIATE_TEST_SUITE_P(
    all, peers,
    ::testing::Combine(::testing::Values(caller::unit, caller::os_thread),
                       ::testing::Values(owner::program, owner::library)),
    [](const ::testing::TestParamInfo<std::tuple<caller, owner>>& info) {
        return std::string(std::get<1>(info.param) == owner::library ? "owned" : "plain") +
               (std::get<0>(info.param) == caller::unit ? "_and_units" : "_and_os_threads");
    });

class broken_pipes : public in_processes {};

// Each of the calls, with the action of SIGPIPE as a process has it at first.
template <class Caller>
void write_to_closed_sockets(Caller call) {
    for (const owner of : {owner::program, owner::library}) {
        for (const bool is_local : {false, true}) {
            ends both = is_local ? make_socket_pair(of) : make_connection(of);
            reset_by_close(both.in);
            both.close_in();
            call([fd = both.out] {
                char c = 'x';
                iovec two[] = {{&c, 1}, {&c, 1}};
                msghdr message{};
                message.msg_iov = two;
                message.msg_iovlen = 2;
                io::write(fd, &c, 1);  // a reset is told first
                EXPECT_EQ(io::write(fd, &c, 1).error_number(), EPIPE);
                EXPECT_EQ(io::writev(fd, two).error_number(), EPIPE);
                EXPECT_EQ(io::write_all(fd, &c, 1, 1s).error_number(), EPIPE);
                EXPECT_EQ(io::send(fd, &c, 1, 0).error_number(), EPIPE);
                EXPECT_EQ(io::send(fd, &c, 1, MSG_DONTWAIT).error_number(), EPIPE);
                EXPECT_EQ(io::sendmsg(fd, &message, 0).error_number(), EPIPE);
            });
        }
    }
}

TEST_F(broken_pipes, of_sockets_do_not_end_the_process) {
    for (const io_kind how : {io_kind::automatic, io_kind::threads}) {
        in_process([how] {
            ::signal(SIGPIPE, SIG_DFL);
            const lazult::runtime running(lazult::options{.streams = 2, .io = how});
            write_to_closed_sockets([](auto f) { in_ult(f); });
            write_to_closed_sockets([](auto f) { std::thread(f).join(); });
        });
    }
}

TEST_F(broken_pipes, end_a_write_that_waits) {
    in_process([] {
        ::signal(SIGPIPE, SIG_IGN);
        const lazult::runtime running(lazult::options{.streams = 1});
        for (const owner of : {owner::program, owner::library}) {
            ends both = make_pipe(of);
            lazult::thread writer([&] {
                const std::string much = pattern(1 << 20);
                const std::int64_t moved = io::write(both.out, much.data(), much.size()).value();
                EXPECT_GT(moved, 0);
                EXPECT_LT(moved, std::int64_t{1 << 20});
                EXPECT_EQ(io::write(both.out, "x", 1).error_number(), EPIPE);
            });
            lazult::this_thread::sleep_for(2ms);
            in_ult([&] { both.close_in(); });
            writer.join();
        }
    });
}

// As write(2) does, and docs/io.md says.
TEST_F(broken_pipes, raise_the_signal_as_well) {
    const faults::outcome how = faults::in_child([] {
        ::signal(SIGPIPE, SIG_DFL);
        const lazult::runtime running(lazult::options{.streams = 1});
        ends both = make_pipe(owner::library);
        both.close_in();
        in_ult([&] { io::write(both.out, "x", 1); });
        return 0;
    });
    EXPECT_TRUE(WIFSIGNALED(how.status) && WTERMSIG(how.status) == SIGPIPE) << how.describe();
}

}  // namespace
}  // namespace lazult
