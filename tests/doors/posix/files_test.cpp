// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes of pipes and files, sleeps of others meanwhile, and the ends of descriptors.
#include "tests/doors/posix/harness.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <csignal>
#include <functional>
#include <string>
#include <vector>

// What a program calls that was built with a hardened C library.
extern "C" {
ssize_t __read_chk(int fd, void* into, size_t bytes, size_t size);
ssize_t __pread_chk(int fd, void* into, size_t bytes, off_t offset, size_t size);
ssize_t __pread64_chk(int fd, void* into, size_t bytes, off64_t offset, size_t size);
}

namespace lazult {
namespace {

using lazult::testing::posix_test;
using lazult::testing::two_ends;

class posix_files : public posix_test {};

struct read_form {
    const char* name;
    ssize_t (*call)(int fd, char* into);
};

iovec one(char* into) { return {into, 1}; }

class posix_reads : public posix_test, public ::testing::WithParamInterface<read_form> {};

TEST_P(posix_reads, suspend_until_there_are_bytes) {
    two_ends pipe;
    char got = 0;
    suspends([&] { EXPECT_EQ(GetParam().call(pipe.in(), &got), 1); },
             [&] { EXPECT_EQ(::write(pipe.out(), "x", 1), 1); });
    EXPECT_EQ(got, 'x');
}

INSTANTIATE_TEST_SUITE_P(
    all, posix_reads,
    ::testing::Values(read_form{"read", [](int fd, char* into) { return ::read(fd, into, 1); }},
                      read_form{"read_chk",
                                [](int fd, char* into) { return ::__read_chk(fd, into, 1, 1); }},
                      read_form{"readv",
                                [](int fd, char* into) {
                                    const iovec piece = one(into);
                                    return ::readv(fd, &piece, 1);
                                }},
                      read_form{"preadv2",
                                [](int fd, char* into) {
                                    const iovec piece = one(into);
                                    return ::preadv2(fd, &piece, 1, -1, 0);
                                }},
                      read_form{"preadv64v2",
                                [](int fd, char* into) {
                                    const iovec piece = one(into);
                                    return ::preadv64v2(fd, &piece, 1, -1, 0);
                                }}),
    [](const auto& info) { return std::string(info.param.name); });

struct write_form {
    const char* name;
    ssize_t (*call)(int fd, const std::string& data);
};

iovec whole(const std::string& data) { return {const_cast<char*>(data.data()), data.size()}; }

class posix_writes : public posix_test, public ::testing::WithParamInterface<write_form> {};

TEST_P(posix_writes, suspend_until_all_bytes_have_room) {
    two_ends pipe;
    const std::string data(200'000, 'w');
    std::string got;
    suspends(
        [&] { EXPECT_EQ(GetParam().call(pipe.out(), data), static_cast<ssize_t>(data.size())); },
        [&] {
            char buffer[5000];
            while (got.size() < data.size()) {
                const ssize_t bytes = ::read(pipe.in(), buffer, sizeof buffer);
                ASSERT_GT(bytes, 0);
                got.append(buffer, static_cast<std::size_t>(bytes));
            }
        });
    EXPECT_EQ(got, data);
}

INSTANTIATE_TEST_SUITE_P(all, posix_writes,
                         ::testing::Values(write_form{"write",
                                                      [](int fd, const std::string& data) {
                                                          return ::write(fd, data.data(),
                                                                         data.size());
                                                      }},
                                           write_form{"writev",
                                                      [](int fd, const std::string& data) {
                                                          const iovec piece = whole(data);
                                                          return ::writev(fd, &piece, 1);
                                                      }},
                                           write_form{"pwritev2",
                                                      [](int fd, const std::string& data) {
                                                          const iovec piece = whole(data);
                                                          return ::pwritev2(fd, &piece, 1, -1, 0);
                                                      }},
                                           write_form{"pwritev64v2",
                                                      [](int fd, const std::string& data) {
                                                          const iovec piece = whole(data);
                                                          return ::pwritev64v2(fd, &piece, 1, -1,
                                                                               0);
                                                      }}),
                         [](const auto& info) { return std::string(info.param.name); });

struct temporary {
    temporary() : fd(::open("/tmp", O_TMPFILE | O_RDWR, 0600)) { EXPECT_GE(fd, 0); }
    ~temporary() { ::close(fd); }
    temporary(const temporary&) = delete;
    temporary& operator=(const temporary&) = delete;
    int fd;
};

// Each positioned form writes and reads at its own place, and leaves the file's position.
TEST_F(posix_files, positioned_forms_read_what_they_wrote) {
    start(1);
    lazult::thread([] {
        temporary file;
        char a = 'a';
        char b = 'b';
        const iovec from{&a, 1};
        const iovec from_b{&b, 1};
        EXPECT_EQ(::pwrite(file.fd, &a, 1, 0), 1);
        EXPECT_EQ(::pwrite64(file.fd, &b, 1, 1), 1);
        EXPECT_EQ(::pwritev(file.fd, &from, 1, 2), 1);
        EXPECT_EQ(::pwritev64(file.fd, &from_b, 1, 3), 1);
        EXPECT_EQ(::pwritev2(file.fd, &from, 1, 4, 0), 1);
        EXPECT_EQ(::pwritev64v2(file.fd, &from_b, 1, 5, 0), 1);
        EXPECT_EQ(::fsync(file.fd), 0);
        EXPECT_EQ(::fdatasync(file.fd), 0);
        std::string got(7, '.');
        const iovec into[] = {{&got[2], 1}, {&got[3], 1}, {&got[4], 1}};
        EXPECT_EQ(::pread(file.fd, &got[0], 1, 0), 1);
        EXPECT_EQ(::pread64(file.fd, &got[1], 1, 1), 1);
        EXPECT_EQ(::preadv(file.fd, &into[0], 1, 2), 1);
        EXPECT_EQ(::preadv64(file.fd, &into[1], 1, 3), 1);
        EXPECT_EQ(::preadv2(file.fd, &into[2], 1, 4, 0), 1);
        EXPECT_EQ(::__pread_chk(file.fd, &got[5], 1, 5, 1), 1);
        EXPECT_EQ(::__pread64_chk(file.fd, &got[6], 1, 0, 1), 1);
        EXPECT_EQ(got, "abababa");
        EXPECT_EQ(::lseek(file.fd, 0, SEEK_CUR), 0);
    }).join();
}

TEST_F(posix_files, errors_are_in_errno) {
    start(1);
    lazult::thread([] {
        char c = 0;
        EXPECT_EQ(::read(-1, &c, 1), -1);
        EXPECT_EQ(errno, EBADF);
        EXPECT_EQ(::write(12345, &c, 1), -1);
        EXPECT_EQ(errno, EBADF);
        const iovec piece{&c, 1};
        EXPECT_EQ(::readv(0, &piece, -1), -1);
        EXPECT_EQ(errno, EINVAL);
        temporary file;
        EXPECT_EQ(::pread(file.fd, &c, 1, -5), -1);
        EXPECT_EQ(errno, EINVAL);
        EXPECT_EQ(::close(-1), -1);
        EXPECT_EQ(errno, EBADF);
    }).join();
}

TEST_F(posix_files, a_descriptor_in_nonblocking_mode_does_not_wait) {
    start(1);
    lazult::thread([] {
        two_ends pipe;
        ::fcntl(pipe.in(), F_SETFL, O_NONBLOCK);
        char c = 0;
        EXPECT_EQ(::read(pipe.in(), &c, 1), -1);
        EXPECT_EQ(errno, EAGAIN);
    }).join();
}

TEST_F(posix_files, a_write_to_a_closed_socket_raises_a_signal) {
    start(1);
    static std::atomic<int> raised{0};
    std::signal(SIGPIPE, [](int) { ++raised; });
    lazult::thread([] {
        int ends[2];
        ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
        ::close(ends[1]);
        EXPECT_EQ(::write(ends[0], "x", 1), -1);
        EXPECT_EQ(errno, EPIPE);
        EXPECT_EQ(raised, 1);
        EXPECT_EQ(::send(ends[0], "x", 1, MSG_NOSIGNAL), -1);
        EXPECT_EQ(errno, EPIPE);
        EXPECT_EQ(raised, 1);
        EXPECT_EQ(::send(ends[0], "x", 1, 0), -1);
        EXPECT_EQ(raised, 2);
        ::close(ends[0]);
    }).join();
    std::signal(SIGPIPE, SIG_DFL);
}

struct end_form {
    const char* name;
    void (*call)(int fd);
};

class posix_ends : public posix_test, public ::testing::WithParamInterface<end_form> {};

TEST_P(posix_ends, wake_a_ult_that_waits) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    suspends(
        [&] {
            char c = 0;
            EXPECT_EQ(::read(ends[0], &c, 1), -1);
            EXPECT_EQ(errno, EBADF);
        },
        [&] { GetParam().call(ends[0]); });
    ::close(ends[1]);
    ::close(ends[0]);
}

INSTANTIATE_TEST_SUITE_P(
    all, posix_ends,
    ::testing::Values(end_form{"close", [](int fd) { EXPECT_EQ(::close(fd), 0); }},
                      end_form{"dup2", [](int fd) { EXPECT_EQ(::dup2(2, fd), fd); }},
                      end_form{"dup3", [](int fd) { EXPECT_EQ(::dup3(2, fd, O_CLOEXEC), fd); }}),
    [](const auto& info) { return std::string(info.param.name); });

// The first program of docs/io.md's measurements: each reader waits 20 ms, all at the same time.
TEST_F(posix_files, many_readers_wait_together) {
    start(1);
    constexpr int readers = 64;
    std::vector<two_ends> pipes(readers);
    const double begin = testing::seconds_now();
    std::vector<lazult::thread> all;
    for (const two_ends& each : pipes) {
        all.emplace_back([&each] {
            char c = 0;
            EXPECT_EQ(::read(each.in(), &c, 1), 1);
        });
        all.emplace_back([&each] {
            ::usleep(20'000);
            EXPECT_EQ(::write(each.out(), "x", 1), 1);
        });
    }
    for (lazult::thread& each : all) {
        each.join();
    }
    EXPECT_LT(testing::seconds_now() - begin, 0.64);  // half of what they take one after another
}

TEST_F(posix_files, calls_of_os_threads_block_as_ever) {
    two_ends pipe;
    std::thread reader([&] {
        char c = 0;
        EXPECT_EQ(::read(pipe.in(), &c, 1), 1);
    });
    ::usleep(1000);
    EXPECT_EQ(::write(pipe.out(), "x", 1), 1);
    reader.join();
}

}  // namespace
}  // namespace lazult
