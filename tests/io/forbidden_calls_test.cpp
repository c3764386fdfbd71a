// SPDX-License-Identifier: BSD-3-Clause
// System calls that a sandbox forbids, from the start or while the program runs: the calls of
// lazult::io go on by others.
#include "lazult/sched/sched.hpp"

#include "tests/support/refused_calls.hpp"

#include "tests/io/faults.hpp"

#include <sys/eventfd.h>
#include <sys/mman.h>

namespace lazult {
namespace {

using namespace lazult::testing;
using support::refuse;

class forbidden_calls : public in_processes, public ::testing::WithParamInterface<int> {
protected:
    // Runs f in a sandbox that it puts itself into by forbid().
    template <class F>
    void run(F f) {
        in_process([&] { f(); });
    }
    static void forbid(std::initializer_list<long> calls) {
        if (!refuse(calls, GetParam())) {
            std::puts("this system has no seccomp filters");
            std::exit(::testing::Test::HasFailure() ? 1 : 0);
        }
    }

    // The filter comes while calls wait in the rings of all streams, handed to the kernel or not.
    static void forbid_rings_under_way(const lazult::options& options) {
        const lazult::runtime running(options);
        const passing_file file;
        std::atomic<unsigned> begun{0};
        std::thread sandbox([&] {
            while (begun < 2000) {
                std::this_thread::yield();
            }
            forbid({SYS_io_uring_enter});
        });
        const int fd = file.open_direct(O_RDWR);
        in_ults(100, [&](unsigned i) {
            for (unsigned k = 0; k < 60; ++k) {
                const unsigned number = 60 * i + k;
                numbered_block block(number);
                ++begun;
                EXPECT_EQ(io::pwrite(fd, block.data(), block_bytes, place_of_block(number)).value(),
                          std::int64_t{block_bytes});
            }
        });
        sandbox.join();
        in_ults(100, [&](unsigned i) {
            for (unsigned k = 0; k < 60; ++k) {
                numbered_block block;
                EXPECT_EQ(
                    io::pread(fd, block.data(), block_bytes, place_of_block(60 * i + k)).value(),
                    std::int64_t{block_bytes});
                EXPECT_TRUE(block.is_whole());
                EXPECT_EQ(block.number(), 60 * i + k);
            }
        });
        ::close(fd);
        EXPECT_EQ(io::file_backend(), "helper threads");
    }
};

// Each of the blocks is written once, by whichever way there is, and read again.
void write_and_read_blocks(const passing_file& file, unsigned first, unsigned count) {
    const int direct = file.open_direct(O_RDWR);
    const int cached = file.open(O_RDWR);
    in_ults(count, [&](unsigned i) {
        const unsigned number = first + i;
        numbered_block block(number);
        const int fd = i % 2 == 0 ? direct : cached;
        EXPECT_EQ(io::pwrite(fd, block.data(), block_bytes, place_of_block(number)).value(),
                  std::int64_t{block_bytes});
        block.fill(0);
        EXPECT_EQ(io::pread(fd, block.data(), block_bytes, place_of_block(number)).value(),
                  std::int64_t{block_bytes});
        EXPECT_TRUE(block.is_whole());
        EXPECT_EQ(block.number(), number);
        EXPECT_EQ(io::fdatasync(fd).value(), 0);
    });
    ::close(direct);
    ::close(cached);
}

TEST_P(forbidden_calls, files_use_helpers_where_no_ring_can_be_made) {
    run([] {
        forbid({SYS_io_uring_setup});
        const lazult::runtime running(lazult::options{.streams = 2});
        EXPECT_EQ(io::file_backend(), "helper threads");
        write_and_read_blocks({}, 1, 200);
    });
}

TEST_P(forbidden_calls, files_use_helpers_where_no_ring_can_be_entered) {
    run([] {
        forbid({SYS_io_uring_enter});
        const lazult::runtime running(lazult::options{.streams = 2});
        EXPECT_EQ(io::file_backend(), "helper threads");
        write_and_read_blocks({}, 1, 200);
        EXPECT_EQ(io::file_backend(), "helper threads");
    });
}

TEST_P(forbidden_calls, files_go_on_when_rings_are_forbidden_between_calls) {
    run([] {
        const lazult::runtime running(lazult::options{.streams = 2});
        const passing_file file;
        write_and_read_blocks(file, 1, 100);
        forbid({SYS_io_uring_setup, SYS_io_uring_enter});
        write_and_read_blocks(file, 101, 200);
        EXPECT_EQ(io::file_backend(), "helper threads");
    });
}

TEST_P(forbidden_calls, files_go_on_when_rings_are_forbidden_under_way) {
    run([] { forbid_rings_under_way({.streams = 2, .event_period = 200}); });
}

// The rings' service threads learn of it.
TEST_P(forbidden_calls, files_go_on_when_lent_rings_are_forbidden_under_way) {
    run([] { forbid_rings_under_way({.streams = 2, .event_period = 200, .spare = 5ms}); });
}

// A stream that also looks for events elsewhere sleeps in its port for moments. It does not spin
// there instead, and limits hold.
TEST_P(forbidden_calls, a_stream_sleeps_without_epoll_pwait2) {
    run([] {
        forbid({SYS_epoll_pwait2});
        const lazult::runtime running(lazult::options{.streams = 1});
        std::atomic<int> looks{0};
        const std::uint64_t id = sched::add_event_callback(
            [](void* count) {
                ++*static_cast<std::atomic<int>*>(count);
                return 0;
            },
            &looks);
        const ends both = make_socket_pair(owner::library);
        in_ult([&] {
            char c = 0;
            const auto begin = std::chrono::steady_clock::now();
            for (int i = 0; i < 10; ++i) {
                EXPECT_EQ(io::read(both.in, &c, 1, 50ms).error_number(), ETIMEDOUT);
            }
            EXPECT_GE(seconds_since(begin), 0.5);
            EXPECT_LT(seconds_since(begin), 10.0);
        });
        EXPECT_LT(looks, 10'000);
        lazult::thread reader([&] {
            char c = 0;
            EXPECT_EQ(io::read(both.in, &c, 1).value(), 1);
        });
        std::this_thread::sleep_for(20ms);
        EXPECT_EQ(::write(both.out, "x", 1), 1);
        reader.join();
        sched::remove_event_callback(id);
    });
}

// What pipes, sockets, eventfds and files carry where nothing but the plain calls is left. A reader
// that waits leaves its stream to the writer.
void transfer_on_one_stream(const ends& both) {
    const std::string sent = pattern(1 << 20);
    std::string got(sent.size(), '\0');
    lazult::thread reader([&] {
        EXPECT_EQ(io::read_all(both.in, got.data(), got.size()).value(),
                  static_cast<std::int64_t>(sent.size()));
    });
    lazult::thread writer([&] {
        for (std::size_t at = 0; at < sent.size(); at += 1 << 14) {
            EXPECT_EQ(io::write(both.out, sent.data() + at, 1 << 14).value(), 1 << 14);
        }
    });
    reader.join();
    writer.join();
    EXPECT_TRUE(got == sent);
}

TEST_P(forbidden_calls, everything_goes_on_without_preadv2) {
    run([] {
        forbid({SYS_preadv2, SYS_pwritev2});
        const lazult::runtime running(lazult::options{.streams = 1});
        for (const owner of : {owner::program, owner::library}) {
            transfer_on_one_stream(make_pipe(of));
            transfer_on_one_stream(make_pipe(of, O_NONBLOCK));
            transfer_on_one_stream(make_socket_pair(of));
            transfer_on_one_stream(make_connection(of));
        }
        const int event = checked(::eventfd(0, EFD_CLOEXEC));
        lazult::thread waits([&] {
            std::uint64_t times = 0;
            EXPECT_EQ(io::read(event, &times, sizeof times).bytes(), sizeof times);
            EXPECT_EQ(times, 7U);
        });
        const std::uint64_t seven = 7;
        in_ult([&] { EXPECT_EQ(io::write(event, &seven, sizeof seven).bytes(), sizeof seven); });
        waits.join();
        ::close(event);
        write_and_read_blocks({}, 1, 100);
    });
}

TEST_P(forbidden_calls, everything_goes_on_with_helpers_and_without_preadv2) {
    run([] {
        forbid({SYS_preadv2, SYS_pwritev2, SYS_io_uring_setup, SYS_epoll_pwait2});
        const lazult::runtime running(lazult::options{.streams = 2});
        transfer_on_one_stream(make_pipe(owner::library));
        transfer_on_one_stream(make_socket_pair(owner::program));
        const passing_file file;
        write_and_read_blocks(file, 0, 100);
        std::thread([&] {  // an OS thread makes its calls itself
            const int fd = file.open(O_RDWR);
            numbered_block block;
            for (unsigned number = 0; number < 3; ++number) {
                EXPECT_EQ(io::read(fd, block.data(), block_bytes).bytes(), block_bytes);
                EXPECT_EQ(block.number(), number);
            }
            EXPECT_EQ(io::write(fd, "x", 1).value(), 1);
            EXPECT_EQ(io::pwrite(fd, "y", 1, 0).value(), 1);
            ::close(fd);
        })
            .join();
    });
}

// The error is the call's own, and not that of the sandbox.
TEST_P(forbidden_calls, a_write_that_is_itself_not_permitted_says_so) {
    run([] {
        const int sealed = checked(::memfd_create("sealed", MFD_ALLOW_SEALING | MFD_CLOEXEC));
        EXPECT_EQ(::fcntl(sealed, F_ADD_SEALS, F_SEAL_WRITE), 0);
        forbid({SYS_epoll_pwait2});
        const lazult::runtime running(lazult::options{.streams = 1});
        in_ult([&] { EXPECT_EQ(io::pwrite(sealed, "x", 1, 0).error_number(), EPERM); });
        ::close(sealed);
    });
}

INSTANTIATE_TEST_SUITE_P(all, forbidden_calls, ::testing::Values(EPERM, ENOSYS, EACCES),
                         [](const ::testing::TestParamInfo<int>& info) {
                             return info.param == EPERM    ? "by_EPERM"
                                    : info.param == ENOSYS ? "by_ENOSYS"
                                                           : "by_EACCES";
                         });

}  // namespace
}  // namespace lazult
