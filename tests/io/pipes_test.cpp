// SPDX-License-Identifier: BSD-3-Clause
// Pipes of which lazult::io has both ends: units wake each other there without the kernel, and
// no unit is lost where others use the pipe beside them.
#include "tests/support/refused_calls.hpp"

#include "tests/io/faults.hpp"

#include <csignal>
#include <fstream>

namespace lazult {
namespace {

using namespace lazult::testing;

constexpr auto long_enough = 20s;  // no test waits for so long

// A byte goes there and back between two units.
void round_trips(int trips) {
    const ends there = make_pipe(owner::library);
    const ends back = make_pipe(owner::library);
    lazult::thread answers([&] {
        for (int i = 0; i < trips; ++i) {
            char c = 0;
            ASSERT_EQ(io::read(there.in, &c, 1, long_enough).value(), 1);
            ASSERT_EQ(io::write(back.out, &c, 1).value(), 1);
        }
    });
    lazult::thread asks([&] {
        for (int i = 0; i < trips; ++i) {
            const char sent = static_cast<char>(i);
            char c = 0;
            ASSERT_EQ(io::write(there.out, &sent, 1).value(), 1);
            ASSERT_EQ(io::read(back.in, &c, 1, long_enough).value(), 1);
            ASSERT_EQ(c, sent);
        }
    });
    answers.join();
    asks.join();
}

class pipes_without_a_port : public in_processes {
protected:
    // Runs f in a sandbox in which no port hears of an edge.
    template <class F>
    void run(unsigned streams, F f) {
        in_process([&] {
            const lazult::runtime running(lazult::options{.streams = streams});
            if (!support::refuse({SYS_epoll_wait, SYS_epoll_pwait, SYS_epoll_pwait2}, EPERM)) {
                std::puts("this system has no seccomp filters");
                return;
            }
            f();
        });
    }
};

TEST_F(pipes_without_a_port, writers_wake_readers) {
    run(1, [] { round_trips(5000); });
}

TEST_F(pipes_without_a_port, writers_wake_readers_of_other_streams) {
    run(4, [] { in_ults(8, [](unsigned) { round_trips(200); }); });
}

TEST_F(pipes_without_a_port, readers_wake_writers_that_wait_for_room) {
    run(1, [] {
        const std::string sent = pattern(1'000'000);
        const ends both = make_pipe(owner::library);
        lazult::thread writer([&] {
            EXPECT_EQ(io::write(both.out, sent.data(), sent.size(), long_enough).bytes(),
                      sent.size());
        });
        std::string got(sent.size(), '\0');
        in_ult([&] {
            for (std::size_t done = 0; done < got.size();) {
                const std::size_t next = std::min<std::size_t>(got.size() - done, 1 + done % 9000);
                const io::result more = io::read(both.in, got.data() + done, next, long_enough);
                ASSERT_GT(more.value(), 0);
                done += more.bytes();
            }
        });
        writer.join();
        EXPECT_EQ(got, sent);
    });
}

// The calls of the process that read, also in vain; -1: the kernel does not count them.
long read_calls() {
    std::ifstream counts("/proc/self/io");
    for (std::string word; counts >> word;) {
        if (long count = 0; word == "syscr:" && counts >> count) {
            return count;
        }
    }
    return -1;
}

TEST(pipe_counts, a_reader_knows_that_there_is_no_more) {
    const lazult::runtime running(lazult::options{.streams = 1});
    const long before = read_calls();
    if (before < 0) {
        GTEST_SKIP() << "no /proc/self/io";
    }
    constexpr int trips = 5000;
    round_trips(trips);
    // A look into the port ends a count, so a reader tries in vain now and then.
    EXPECT_LT(read_calls() - before, 2 * trips + trips / 2);
}

class pipes : public ::testing::Test {
protected:
    lazult::runtime running_{lazult::options{.streams = 4}};
};

// Reads to the end, in pieces of changing size. Returns how many bytes there were.
std::size_t read_to_the_end(int fd, unsigned seed) {
    char piece[64];
    for (std::size_t done = 0;; ++seed) {
        const io::result got = io::read(fd, piece, 1 + seed % sizeof piece, long_enough);
        EXPECT_TRUE(got.ok()) << got.error_number();
        if (!got.ok() || got.value() == 0) {
            return done;
        }
        done += got.bytes();
    }
}

// Units of all streams write, an OS thread writes by write(2), and a unit writes to a duplicate.
// The reader is never left alone with what they wrote.
TEST_F(pipes, many_writers_of_all_kinds_lose_no_reader) {
    constexpr int pairs = 12;
    constexpr int writes = 300;
    std::vector<ends> all;
    std::vector<int> duplicates;
    std::vector<lazult::thread> readers;
    std::vector<lazult::thread> writers;
    std::atomic<int> lost{0};
    for (unsigned i = 0; i < pairs; ++i) {
        all.push_back(make_pipe(owner::library));
        duplicates.push_back(checked(::dup(all.back().out)));
    }
    for (unsigned i = 0; i < pairs; ++i) {
        readers.emplace_back(
            [&, i, fd = all[i].in] { lost += read_to_the_end(fd, i) != 7 * writes; });
        const auto write_some = [](int fd, std::size_t bytes, unsigned shift) {
            for (unsigned k = 0; k < writes; ++k) {
                ASSERT_EQ(io::write(fd, "abc", bytes).bytes(), bytes);
                if ((k + shift) % 3 == 0) {
                    lazult::this_thread::yield();
                }
            }
        };
        writers.emplace_back([=, fd = all[i].out] { write_some(fd, 1, i); });
        writers.emplace_back([=, fd = all[i].out] { write_some(fd, 3, i + 1); });
        writers.emplace_back([=, fd = duplicates[i]] { write_some(fd, 2, i + 2); });
    }
    std::thread outside([&] {
        for (int k = 0; k < writes; ++k) {
            for (const ends& each : all) {
                EXPECT_EQ(::write(each.out, "x", 1), 1);
            }
            std::this_thread::sleep_for(20us);
        }
    });
    outside.join();
    for (lazult::thread& each : writers) {
        each.join();
    }
    for (int i = 0; i < pairs; ++i) {
        all[i].close_out();
        EXPECT_EQ(::close(duplicates[i]), 0);
    }
    for (lazult::thread& each : readers) {
        each.join();
    }
    EXPECT_EQ(lost, 0);
}

// Several units read one pipe, and an OS thread takes bytes away from them.
TEST_F(pipes, many_readers_of_all_kinds_lose_no_byte) {
    for (int round = 0; round < 20; ++round) {
        ends both = make_pipe(owner::library, O_NONBLOCK);
        constexpr std::size_t writes = 1000;
        std::atomic<std::size_t> got{0};
        std::vector<lazult::thread> readers;
        for (unsigned i = 0; i < 4; ++i) {
            readers.emplace_back([&, i] { got += read_to_the_end(both.in, i); });
        }
        std::atomic<bool> is_over{false};
        std::thread outside([&] {
            char piece[16];
            while (!is_over) {
                const ssize_t more = ::read(both.in, piece, sizeof piece);
                got += more > 0 ? static_cast<std::size_t>(more) : 0;
                std::this_thread::yield();
            }
        });
        in_ult([&] {
            for (std::size_t i = 0; i < writes; ++i) {
                ASSERT_EQ(io::write(both.out, "abc", 3).value(), 3);
                if (i % 7 == 0) {
                    lazult::this_thread::yield();
                }
            }
        });
        both.close_out();
        for (lazult::thread& each : readers) {
            each.join();
        }
        is_over = true;
        outside.join();
        EXPECT_EQ(got, 3 * writes);
    }
}

// The port hears of a byte from outside while the bytes that units wrote are counted.
TEST_F(pipes, a_byte_from_outside_is_not_left_behind) {
    const ends both = make_pipe(owner::library);
    const ends other = make_pipe(owner::library);
    lazult::thread keeps_the_port_awaited([&] {
        char c;
        EXPECT_EQ(io::read(other.in, &c, 1, long_enough).value(), 1);
    });
    in_ult([&] {
        char c;
        for (int i = 0; i < 10; ++i) {
            EXPECT_EQ(io::read(both.in, &c, 1, 1ms).error_number(), ETIMEDOUT);
            EXPECT_EQ(io::write(both.out, "a", 1).value(), 1);
            EXPECT_EQ(::write(both.out, "b", 1), 1);
            lazult::this_thread::sleep_for(1ms);
            const auto begin = std::chrono::steady_clock::now();
            EXPECT_EQ(io::read(both.in, &c, 1, long_enough).value(), 1);
            EXPECT_EQ(io::read(both.in, &c, 1, long_enough).value(), 1);
            EXPECT_LT(seconds_since(begin), 5.0);
        }
        EXPECT_EQ(io::write(other.out, "c", 1).value(), 1);
    });
    keeps_the_port_awaited.join();
}

// A reader of a pipe in packet mode gets fewer bytes than it asks for while there are more.
TEST_F(pipes, packets_are_not_taken_for_the_last) {
    const ends both = make_pipe(owner::library, O_DIRECT);
    lazult::thread reader([&] {
        char piece[8];
        for (int i = 0; i < 2000; ++i) {
            ASSERT_EQ(io::read(both.in, piece, sizeof piece, long_enough).value(), 2 + i % 2);
        }
    });
    std::thread outside([&] {
        for (int i = 0; i < 1000; ++i) {
            EXPECT_EQ(::write(both.out, "ab", 2), 2);
            in_ult([&] { EXPECT_EQ(io::write(both.out, "abc", 3).value(), 3); });
        }
    });
    reader.join();
    outside.join();
}

// The reader waits with a count of which it is sure when another process writes.
TEST_F(pipes, a_child_that_writes_wakes_the_reader) {
    if (probe::tsan) {
        GTEST_SKIP() << "ThreadSanitizer does not follow a child";
    }
    for (int round = 0; round < 20; ++round) {
        const ends both = make_pipe(owner::library);
        std::atomic<int> got{0};
        lazult::thread reader([&] {
            char c;
            while (io::read(both.in, &c, 1, long_enough).value() == 1 && c != '.') {
                ++got;
            }
        });
        in_ult([&] { EXPECT_EQ(io::write(both.out, "ab", 2).value(), 2); });
        const pid_t child = ::fork();
        if (child == 0) {
            ::_exit(::write(both.out, "cd", 2) == 2 ? 0 : 1);
        }
        in_ult([&] { EXPECT_EQ(io::write(both.out, "e", 1).value(), 1); });
        int status = -1;
        EXPECT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
        EXPECT_EQ(::write(both.out, ".", 1), 1);
        reader.join();
        EXPECT_EQ(got, 5);
    }
}

// In a child both ends go on, and what the parent counted is forgotten.
TEST_F(pipes, a_child_that_reads_takes_nothing_from_a_waiting_parent) {
    if (probe::tsan) {
        GTEST_SKIP() << "ThreadSanitizer does not follow a child";
    }
    const ends both = make_pipe(owner::library);
    in_ult([&] { EXPECT_EQ(io::write(both.out, "abcd", 4).value(), 4); });
    const pid_t child = ::fork();
    if (child == 0) {
        char piece[3];
        ::_exit(::read(both.in, piece, 3) == 3 ? 0 : 1);
    }
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    char piece[4];
    in_ult([&] {
        EXPECT_EQ(io::read(both.in, piece, 4, long_enough).value(), 1);
        EXPECT_EQ(io::read(both.in, piece, 4, 1ms).error_number(), ETIMEDOUT);
    });
    lazult::thread reader([&] { EXPECT_EQ(io::read(both.in, piece, 4, long_enough).value(), 2); });
    EXPECT_EQ(::write(both.out, "ef", 2), 2);
    reader.join();
}

TEST_F(pipes, ends_that_close_wake_the_other_side) {
    ::signal(SIGPIPE, SIG_IGN);
    for (int round = 0; round < 100; ++round) {
        ends there = make_pipe(owner::library);
        ends back = make_pipe(owner::library);
        lazult::thread reader([&] {
            char c;
            EXPECT_EQ(io::read(there.in, &c, 1, long_enough).value(), 1);
            EXPECT_EQ(io::read(there.in, &c, 1, long_enough).value(), 0);
            EXPECT_EQ(io::read(there.in, &c, 1, long_enough).value(), 0);
        });
        lazult::thread writer([&] {
            const std::string much(200'000, 'x');
            const io::result done = io::write(back.out, much.data(), much.size(), long_enough);
            EXPECT_TRUE(done.ok() ? done.value() > 0 : done.error_number() == EPIPE);
            EXPECT_EQ(io::write(back.out, much.data(), 1, long_enough).error_number(), EPIPE);
        });
        in_ult([&] {
            EXPECT_EQ(io::write(there.out, "a", 1).value(), 1);
            if (round % 2 == 0) {
                lazult::this_thread::sleep_for(100us);
            }
            there.close_out();
            back.close_in();
        });
        reader.join();
        writer.join();
    }
    ::signal(SIGPIPE, SIG_DFL);
}

// A unit waits to read, and its descriptor is closed: it gets EBADF. The next pipe gets the same
// number. Its reader is woken by writes into that pipe.
TEST_F(pipes, numbers_that_come_again_have_new_ends) {
    if (probe::tsan) {
        GTEST_SKIP() << closing_beside_readers;
    }
    for (int round = 0; round < 200; ++round) {
        ends first = make_pipe(owner::library);
        const int other_out = checked(::dup(first.out));
        lazult::thread reader([&, fd = first.in] {
            char c;
            const io::result got = io::read(fd, &c, 1, long_enough);
            EXPECT_TRUE(got.error_number() == EBADF || got.value() == 1);
        });
        in_ult([&] {
            if (round % 2 == 0) {
                lazult::this_thread::yield();
            }
            EXPECT_EQ(io::write(first.out, "", 1).value(), 1);
            first.close_in();
            first.close_out();
        });
        reader.join();
        EXPECT_EQ(::close(other_out), 0);
        round_trips(3);
    }
}

TEST_F(pipes, a_duplicate_that_is_adopted_is_heard_of) {
    const ends both = make_pipe(owner::library);
    const int in = checked(::dup(both.in));
    const int out = checked(::dup(both.out));
    EXPECT_TRUE(io::adopt(in).ok());
    EXPECT_TRUE(io::adopt(out).ok());
    for (int i = 0; i < 200; ++i) {
        lazult::thread reader([&, fd = i % 2 == 0 ? in : both.in] {
            char c;
            EXPECT_EQ(io::read(fd, &c, 1, long_enough).value(), 1);
        });
        in_ult(
            [&, fd = i % 4 < 2 ? out : both.out] { EXPECT_EQ(io::write(fd, "x", 1).value(), 1); });
        reader.join();
    }
    EXPECT_TRUE(io::close(in).ok());
    EXPECT_TRUE(io::close(out).ok());
}

}  // namespace
}  // namespace lazult
